// The options of `run`: their table, from which help, man page and parser come, and what a command
// line asks for, as a value.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "launch/plan.h"

namespace homenode::cli {

/// The options that print something instead of starting a program, and how.
struct RunPrints {
  bool show = false;
  bool hardware = false;
  bool cpu_compress = false;
  bool version = false;
  bool explain = false;
  bool json = false;
  std::string emit = {};
  [[nodiscard]] bool instead_of_program() const;
};

/// A command line of `run`, read as far as that needs no machine.
struct RunOrder {
  launch::RunRequest request;
  RunPrints prints;
  bool charm_behind = false;  ///< Charm++'s arguments are the program's own; --explain reads them.
};

class RunOptions {
 public:
  void define(CLI::App& app);
  /// The file of --recipe; empty without.
  [[nodiscard]] const std::string& recipe() const { return recipe_; }
  /// pre: the parser has parsed the options; `program` is what follows them. Errors: bad_usage for
  /// options that exclude each other, stand in a wrong order or cannot be read.
  [[nodiscard]] Result<RunOrder> read(std::vector<std::string> program) const;

 private:
  /// The options as given: CLI11 has their order and, apart from it, each one's values.
  [[nodiscard]] Result<std::vector<launch::RunSetting>> settings_in_order() const;
  [[nodiscard]] Result<void> check_segment_alone(const std::vector<std::string>& program) const;

  CLI::App* app_ = nullptr;
  std::map<const CLI::Option*, launch::RunSetting::Kind> kinds_;
  launch::ThreadRequest threads_;
  RunPrints prints_;
  std::string recipe_;
};

}  // namespace homenode::cli
