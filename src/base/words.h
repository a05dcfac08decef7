// Text taken apart: lines, words, and the escapes of the kernel. Pure; serves all who read the
// kernel's files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace homenode {

/// Takes everything up to `end` off the text, `end` itself too. The whole text when it has none.
inline std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

inline std::string_view take_line(std::string_view& text) {
  return take_until(text, '\n');
}

/// The next word; blanks and tabs before it are skipped. Empty at the end.
std::string_view take_word(std::string_view& text);

/// The text without blanks and tabs around it.
std::string_view trimmed(std::string_view text);

/// The candidate that was probably meant: the one with the fewest letters to change, insert, drop
/// or swap with a neighbour, if these are at most a third of the word's. Empty when none is that
/// near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// The text with the kernel's octal escapes (\040 for a blank) turned back into characters.
std::string unescaped(std::string_view text);

/// A name on one line: control characters as \n or \x1b, so that no name can draw on a terminal.
std::string printable(std::string_view name);

}  // namespace homenode
