// Takes numbers and beginnings from the text of the kernel's files, without a library. Serves the
// sampler by protection keys.
#pragma once

#include <cstdint>
#include <cstring>

namespace homenode::agent::pkeys {

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline std::uint64_t take_hexadecimal(const char*& text) {
  std::uint64_t value = 0;
  if (text[0] == '0' && text[1] == 'x') text += 2;
  for (;; ++text) {
    if (is_digit(*text)) {
      value = value << 4U | static_cast<std::uint64_t>(*text - '0');
    } else if (*text >= 'a' && *text <= 'f') {
      value = value << 4U | static_cast<std::uint64_t>(*text - 'a' + 10);
    } else {
      return value;
    }
  }
}

inline std::uint64_t take_decimal(const char*& text) {
  std::uint64_t value = 0;
  for (; is_digit(*text); ++text) value = value * 10 + static_cast<std::uint64_t>(*text - '0');
  return value;
}

inline bool begins_with(const char* text, const char* beginning) {
  return std::strncmp(text, beginning, std::strlen(beginning)) == 0;
}

}  // namespace homenode::agent::pkeys
