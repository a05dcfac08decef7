#include "cli/program_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

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
  Splitter(const CLI::App& app, const std::vector<std::string>& words)
      : options_(app.get_options()), words_(words) {}

  Result<ProgramLine> run() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_];
      if (!word.starts_with("-") || word == "-") break;
      ++next_;
      if (word == "--") break;
      const auto taken = word.starts_with("--") ? take_long(word) : take_short(word);
      if (!taken) return taken.as_unexpected();
    }
    line_.program.assign(words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end());
    return std::move(line_);
  }

 private:
  Result<void> take_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto found = find_long(name);
    if (!found) return found.as_unexpected();
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    if (value && !takes_value(*found->option)) {
      return bad_usage(fmt::format("the option --{} takes no value", found->name), list_options);
    }
    return add(*found->option, "--" + found->name, value);
  }

  Result<void> take_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const CLI::Option* const option = find_short(word[i]);
      if (option == nullptr) {
        return bad_usage(fmt::format("there is no option -{}", word[i]), list_options);
      }
      std::optional<std::string> value;
      if (takes_value(*option) && i + 1 < word.size()) value = word.substr(i + 1);
      const auto added = add(*option, fmt::format("-{}", word[i]), value);
      if (!added || value) return added;
    }
    return {};
  }

  Result<void> add(const CLI::Option& option, const std::string& name,
                   std::optional<std::string> value) {
    line_.options.push_back(name);
    if (!takes_value(option)) return {};
    if (!value) {
      if (next_ == words_.size()) {
        return bad_usage(fmt::format("the option {} needs a value", name), list_options);
      }
      value = words_[next_++];
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
      return bad_usage(fmt::format("there is no option --{}", name), list_options);
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
                     "write more of it");
  }

  [[nodiscard]] const CLI::Option* find_short(char letter) const {
    for (const CLI::Option* option : options_) {
      for (const std::string& name : option->get_snames()) {
        if (name == std::string(1, letter)) return option;
      }
    }
    return nullptr;
  }

  std::vector<const CLI::Option*> options_;
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
  ProgramLine line_;
};

}  // namespace

Result<ProgramLine> split_program_line(const CLI::App& app, const std::vector<std::string>& words) {
  return Splitter(app, words).run();
}

}  // namespace homenode::cli
