// Text of a JSON document in a fixed room, put together without a library. Serves what is preloaded
// to sample. Strings are put as they are: names and reasons of our own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace homenode::agent {

template <std::size_t room>
class JsonText {
 public:
  constexpr JsonText() = default;
  JsonText& put(const char* words) {
    for (; *words != '\0'; ++words) put_character(*words);
    return *this;
  }
  JsonText& put(std::uint64_t number) {
    char digits[20];
    std::size_t count = 0;
    for (; number > 0 || count == 0; number /= 10) {
      digits[count++] = static_cast<char>('0' + number % 10);
    }
    while (count > 0) put_character(digits[--count]);
    return *this;
  }
  void clear() { size_ = 0, cut_ = false; }
  [[nodiscard]] bool is_cut() const { return cut_; }
  [[nodiscard]] const char* data() const { return text_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void put_character(char c) {
    cut_ = cut_ || size_ == room;
    if (!cut_) text_[size_++] = c;
  }
  char text_[room] = {};
  std::size_t size_ = 0;
  bool cut_ = false;
};

}  // namespace homenode::agent
