// The words for the values of an enumeration: what an option may be, on a command line and in JSON.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace homenode {

/// The words and what they mean, in the order of the help.
template <class Value, std::size_t count>
using Choices = std::array<std::pair<const char*, Value>, count>;

/// The word for `value`, which is one of them.
template <class Value, std::size_t count>
std::string name_of(const Choices<Value, count>& choices, Value value) {
  for (const auto& [name, choice] : choices) {
    if (choice == value) return name;
  }
  return {};
}

}  // namespace homenode
