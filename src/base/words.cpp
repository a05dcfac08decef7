#include "base/words.h"

#include <algorithm>

namespace homenode {
namespace {

constexpr std::string_view blanks = " \t";

bool is_octal(char digit) {
  return digit >= '0' && digit <= '7';
}

}  // namespace

std::string_view take_word(std::string_view& text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    text = {};
    return {};
  }
  const std::size_t end = std::min(text.find_first_of(blanks, first), text.size());
  const std::string_view word = text.substr(first, end - first);
  text.remove_prefix(end);
  return word;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string unescaped(std::string_view text) {
  constexpr std::size_t digits = 3;
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i + 1, digits);
    const bool escape = text[i] == '\\' && code.size() == digits && code[0] <= '3' &&
                        std::all_of(code.begin(), code.end(), is_octal);
    if (escape) {
      const int value = (code[0] - '0') * 64 + (code[1] - '0') * 8 + (code[2] - '0');
      plain += static_cast<char>(value);
      i += digits;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace homenode
