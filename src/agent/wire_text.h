// Takes the wire text (agent/wire.h) apart, from left to right. Serves words.cpp and
// words_rules.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/words.h"

namespace homenode::agent {

inline constexpr std::size_t word_bits = sizeof(unsigned long) * 8;
/// Larger ids than any kernel gives are a broken text, not a reason to map much memory.
inline constexpr std::uint64_t max_id = 65535;

/// A piece of the text that is still to be read.
struct Rest {
  const char* next;

  bool take(char wanted) {
    if (*next != wanted) return false;
    ++next;
    return true;
  }

  bool take_word(const char* word) {
    const char* at = next;
    while (*word != '\0' && *at == *word) {
      ++at;
      ++word;
    }
    if (*word != '\0') return false;
    next = at;
    return true;
  }

  bool take_number(std::uint64_t& value) {
    if (*next < '0' || *next > '9') return false;
    value = 0;
    for (; *next >= '0' && *next <= '9'; ++next) {
      const auto digit = static_cast<std::uint64_t>(*next - '0');
      if (value > (UINT64_MAX - digit) / 10) return false;
      value = value * 10 + digit;
    }
    return true;
  }

  [[nodiscard]] bool at_end_of_field() const { return *next == '\0' || *next == ' '; }
};

/// One more than the occurrences of `separator` up to the end of the field.
inline std::size_t count_items(Rest rest, char separator) {
  std::size_t count = 1;
  for (; !rest.at_end_of_field(); ++rest.next) {
    if (*rest.next == separator) ++count;
  }
  return count;
}

}  // namespace homenode::agent
