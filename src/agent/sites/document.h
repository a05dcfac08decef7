// One small document of the sample file, written by hand: no allocation, no stdio. Serves
// libhomenode-sites.so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/account.h"
#include "agent/sample_output.h"
#include "agent/sites/events.h"

namespace homenode::agent {

/// JSON in a buffer of its own; one that does not fit is not appended.
template <std::size_t room>
class Document {
 public:
  /// Begins with what all have: {"kind":…,"pid":…,"time_ns":…
  Document(const char* kind, std::uint32_t pid) {
    *this << R"({"kind":")" << kind << R"(","pid":)" << pid << R"(,"time_ns":)" << now_ns();
  }

  Document& operator<<(const char* text) {
    for (; *text != '\0'; ++text) put(*text);
    return *this;
  }

  Document& operator<<(std::uint64_t number) { return *this << Decimal(number).text(); }

  /// Within quotes. What is no ASCII becomes what Python has for the bytes of a file's name.
  void write_text(const char* text) {
    for (; *text != '\0'; ++text) {
      const auto byte = static_cast<unsigned char>(*text);
      if (byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\') {
        put(*text);
        continue;
      }
      constexpr char digits[] = "0123456789abcdef";
      *this << (byte < 0x80 ? "\\u00" : "\\udc");
      put(digits[byte >> 4U]);
      put(digits[byte & 15U]);
    }
  }

  void append_to(SampleOutput& output) const {
    if (used_ <= room) output.append_document(text_, used_);
  }

 private:
  void put(char c) {
    if (used_ < room) text_[used_] = c;
    ++used_;
  }

  char text_[room];
  std::size_t used_ = 0;
};

}  // namespace homenode::agent
