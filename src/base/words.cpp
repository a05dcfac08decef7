#include "base/words.h"

#include <algorithm>

namespace homenode {
namespace {

constexpr std::string_view blanks = " \t";

bool is_octal(char digit) {
  return digit >= '0' && digit <= '7';
}

/// The optimal string alignment distance, row by row.
std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
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

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return {};
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t apart = letters_apart(word, candidate);
    if (apart >= fewest || apart >= candidate.size()) continue;
    fewest = apart;
    nearest = candidate;
  }
  return nearest;
}

std::string printable(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '\n') {
      text += "\\n";
    } else if (code < 0x20 || code == 0x7f) {
      text += "\\x";
      text += digits[code >> 4U];
      text += digits[code & 0xfU];
    } else {
      text += letter;
    }
  }
  return text;
}

}  // namespace homenode
