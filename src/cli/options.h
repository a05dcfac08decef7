// Kinds of options that several verbs have: one of a few names, and a size in bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/choices.h"
#include "base/units.h"

namespace CLI {  // The parser itself takes long to compile.
class App;
class Option;
}  // namespace CLI

namespace homenode::cli {

/// Adds an option that takes one of `names`; `set` gets the index of the one that is given.
void add_named_choice(CLI::App& app, const std::string& option,
                      const std::vector<std::string>& names, const std::string& standard,
                      const std::function<void(std::size_t)>& set, const std::string& description);

/// Adds the option; it is read into `target`, which holds the default. Both it and `choices` must
/// outlive the parser.
template <class Value, std::size_t count>
void add_choice(CLI::App& app, const std::string& option, Value& target,
                const Choices<Value, count>& choices, const std::string& description = {}) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.emplace_back(choice.first);
  const auto set = [&target, &choices](std::size_t index) { target = choices[index].second; };
  add_named_choice(app, option, names, name_of(choices, target), set, description);
}

/// Adds it; it is read into `target`, which must outlive the parser and holds the default, written
/// as `standard` in the help.
CLI::Option* add_size_option(CLI::App& app, const std::string& option, Bytes& target,
                             const std::string& description, const std::string& standard);

}  // namespace homenode::cli
