// An option whose value is one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "base/choices.h"

namespace homenode::cli {

/// Adds the option; it is read into `target`, which holds the default. Both it and `choices` must
/// outlive the parser.
template <class Value, std::size_t count>
void add_choice(CLI::App& app, const std::string& option, Value& target,
                const Choices<Value, count>& choices, const std::string& description = {}) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.emplace_back(choice.first);
  const auto read = [&target, &choices](const std::string& text) {
    for (const auto& [name, value] : choices) {
      if (text == name) target = value;
    }
  };
  app.add_option_function<std::string>(option, read, description)
      ->check(CLI::IsMember(names))
      ->default_str(name_of(choices, target));
}

}  // namespace homenode::cli
