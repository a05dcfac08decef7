#include "cli/misuse.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/words.h"

namespace homenode::cli {
namespace {

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
