// What the tests of the C interface share: strings that it hands out, freed at once.
#pragma once

#include <homenode/homenode.h>

#include <string>

namespace homenode::capi_tests {

/// The text, freed; empty for NULL.
inline std::string take(char* text) {
  const std::string copy = text != nullptr ? text : "";
  hn_string_free(text);
  return copy;
}

/// One line for people: not empty, no end of line.
inline bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

}  // namespace homenode::capi_tests
