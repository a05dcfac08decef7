// Lines of text without stdio, which allocates. Serves the allocator's messages and statistics.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/system.h"

namespace homenode::heap {

/// What does not fit goes out to `file` at once, or is cut where there is none.
class Text {
 public:
  explicit Text(int file = -1) : file_(file) {}

  Text& add(const char* text) {
    for (; *text != '\0'; ++text) put(*text);
    return *this;
  }
  Text& add(std::uint64_t number) {
    char digits[20];
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    while (count > 0) put(digits[--count]);
    return *this;
  }
  Text& add_hex(std::uintptr_t number) {
    add("0x");
    for (int shift = 44; shift >= 0; shift -= 4) put("0123456789abcdef"[number >> shift & 15U]);
    return *this;
  }
  /// As a string, until more is added; the last character of a full one is lost.
  const char* text() {
    buffer_[size_ < sizeof buffer_ ? size_ : sizeof buffer_ - 1] = '\0';
    return buffer_;
  }
  void write(int file) {
    system::write(file, buffer_, size_);
    size_ = 0;
  }

 private:
  void put(char c) {
    if (size_ == sizeof buffer_) {
      if (file_ < 0) return;
      write(file_);
    }
    buffer_[size_++] = c;
  }

  char buffer_[1024];
  std::size_t size_ = 0;
  int file_;
};

}  // namespace homenode::heap
