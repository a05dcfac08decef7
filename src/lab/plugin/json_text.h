// Numbers and lists as JSON text, without a library: the plugin is loaded into QEMU.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace homenode::lab {

inline void append(std::string& text, std::uint64_t value, int base = 10) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  text.append(digits.data(), end);
}

/// "[a,b,c]" of item(0) to item(count - 1), each of which appends itself.
template <class Item>
void append_list(std::string& text, std::size_t count, const Item& item) {
  text += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    item(i);
  }
  text += ']';
}

/// "\"name\":value" with a comma before it unless an object begins.
inline void append_member(std::string& text, std::string_view name, std::uint64_t value) {
  if (text.back() != '{') text += ',';
  text += '"';
  text += name;
  text += "\":";
  append(text, value);
}

}  // namespace homenode::lab
