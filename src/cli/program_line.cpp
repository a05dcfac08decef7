#include "cli/program_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

#include "base/words.h"

namespace homenode::cli {
namespace {

constexpr const char* list_options = "'--help' lists the options; '--' ends them";

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

struct Found {
  const CLI::Option* option;
  std::string name;
};

class Splitter {
 public:
  Splitter(const CLI::App& app, const std::vector<std::string>& arguments,
           const LauncherArguments& of_launcher)
      : app_(app), options_(app.get_options()), arguments_(arguments), of_launcher_(of_launcher) {}

  Result<ProgramLine> run() {
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_];
      if (take_of_launcher(argument)) continue;
      if (!argument.starts_with("-") || argument == "-") break;
      ++next_;
      if (argument == "--") break;
      const auto taken = argument.starts_with("--") ? take_long(argument) : take_short(argument);
      if (!taken) return taken.as_unexpected();
    }
    line_.program.insert(line_.program.end(), at(next_), arguments_.end());
    return std::move(line_);
  }

 private:
  [[nodiscard]] std::vector<std::string>::const_iterator at(std::size_t index) const {
    return arguments_.begin() + static_cast<std::ptrdiff_t>(index);
  }

  bool take_of_launcher(const std::string& argument) {
    const std::size_t length = of_launcher_ ? of_launcher_(argument) : 0;
    const std::size_t end = std::min(next_ + length, arguments_.size());
    line_.program.insert(line_.program.end(), at(next_), at(end));
    next_ = end;
    return length > 0;
  }

  Result<void> take_long(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto found = find_long(name);
    if (!found) return found.as_unexpected();
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);
    if (value && !takes_value(*found->option)) {
      return bad_usage(fmt::format("the option --{} takes no value", found->name), list_options);
    }
    return add(*found->option, "--" + found->name, value);
  }

  Result<void> take_short(const std::string& argument) {
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const CLI::Option* const option = find_short(argument[i]);
      if (option == nullptr) {
        return bad_usage(fmt::format("there is no option -{}", argument[i]), list_options);
      }
      std::optional<std::string> value;
      if (takes_value(*option) && i + 1 < argument.size()) value = argument.substr(i + 1);
      const auto added = add(*option, fmt::format("-{}", argument[i]), value);
      if (!added || value) return added;
    }
    return {};
  }

  Result<void> add(const CLI::Option& option, const std::string& name,
                   std::optional<std::string> value) {
    line_.options.push_back(name);
    if (!takes_value(option)) return {};
    if (!value) {
      if (next_ == arguments_.size()) {
        return bad_usage(fmt::format("the option {} needs a value", name), list_options);
      }
      value = arguments_[next_++];
    }
    line_.options.push_back(*value);
    return {};
  }

  Result<Found> find_long(const std::string& name) const {
    std::vector<Found> candidates;
    for (const CLI::Option* option : options_) {
      for (const std::string& full : option->get_lnames()) {
        if (full == name) return Found{option, full};
        if (!name.empty() && full.starts_with(name)) candidates.push_back({option, full});
      }
    }
    if (candidates.empty()) {
      return bad_usage(fmt::format("there is no option --{}{}", name,
                                   did_you_mean("--" + name, long_options(app_))),
                       list_options);
    }
    const bool same_option = std::all_of(candidates.begin(), candidates.end(), [&](const Found& c) {
      return c.option == candidates.front().option;
    });
    if (same_option) return candidates.front();
    std::string names;
    for (const Found& candidate : candidates) {
      names += fmt::format("{}--{}", names.empty() ? "" : ", ", candidate.name);
    }
    return bad_usage(fmt::format("the option --{} could be any of {}", name, names),
                     "write more of its name");
  }

  [[nodiscard]] const CLI::Option* find_short(char letter) const {
    for (const CLI::Option* option : options_) {
      for (const std::string& name : option->get_snames()) {
        if (name == std::string(1, letter)) return option;
      }
    }
    return nullptr;
  }

  const CLI::App& app_;
  std::vector<const CLI::Option*> options_;
  const std::vector<std::string>& arguments_;
  const LauncherArguments& of_launcher_;
  std::size_t next_ = 0;
  ProgramLine line_;
};

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* inner = &app;
  while (!inner->get_subcommands().empty()) inner = inner->get_subcommands().front();
  return *inner;
}

/// An argument that no option, value or command is.
std::string unexpected(const CLI::App& app, const std::string& given) {
  const CLI::App& inner = innermost(app);
  if (given.size() > 1 && given.front() == '-') {
    const std::string name = given.substr(0, given.find('='));
    std::vector<std::string> candidates = long_options(inner);
    if (&inner != &app) {  // Options of the verb may stand after the command's name too.
      for (std::string& outer : long_options(app)) candidates.push_back(std::move(outer));
    }
    return fmt::format("there is no option '{}'{}", name, did_you_mean(name, candidates));
  }
  const std::vector<std::string> commands = command_names(inner);
  if (commands.empty()) return fmt::format("the argument '{}' is one too many", given);
  return fmt::format("there is no '{}'{}: choose {}", given, did_you_mean(given, commands),
                     fmt::join(commands, ", "));
}

/// "--kernel: copi not in {copy,add}".
std::string not_a_member(const std::string& text, std::size_t at) {
  const std::size_t colon = text.find(": ");
  const std::size_t open = at + std::string_view(" not in {").size();
  std::string_view list = std::string_view(text).substr(open, text.rfind('}') - open);
  std::vector<std::string> choices;
  while (!list.empty()) choices.emplace_back(take_until(list, ','));
  const std::string given = text.substr(colon + 2, at - colon - 2);
  return fmt::format("{} cannot be '{}'{}: choose {}", text.substr(0, colon), given,
                     did_you_mean(given, choices), fmt::join(choices, ", "));
}

/// The parser's words begin with the option's name and a colon.
std::string wrong_count(const std::string& text) {
  const std::string option = text.substr(0, text.find(':'));
  if (text.find("At Most") != std::string::npos) return option + " can be given only once";
  if (text.find("flag override") != std::string::npos) {
    return text.substr(0, text.find(' ')) + " takes no value";
  }
  return option + " needs a value";
}

/// "Could not convert: --runs = x".
std::string not_converted(const std::string& text) {
  constexpr std::string_view start = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (!text.starts_with(start) || equals == std::string::npos) return text;
  return fmt::format("{} cannot be '{}'", text.substr(start.size(), equals - start.size()),
                     text.substr(equals + 3));
}

}  // namespace

Result<ProgramLine> split_program_line(const CLI::App& app,
                                       const std::vector<std::string>& arguments,
                                       const LauncherArguments& of_launcher) {
  return Splitter(app, arguments, of_launcher).run();
}

std::string did_you_mean(const std::string& given, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_word(given, candidates);
  return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string misuse(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> left = app.remaining(true);
    if (!left.empty()) return unexpected(app, left.front());
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return wrong_count(text);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return not_converted(text);
  const std::size_t member = text.find(" not in {");
  return member == std::string::npos ? text : not_a_member(text, member);
}

}  // namespace homenode::cli
