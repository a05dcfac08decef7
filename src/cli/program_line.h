// The command line of a verb that starts a program: where its own options end. A parser that
// looked further would take the program's options for its own.
// docs/decisions/0017-options-end-where-getopt-ends-them.md says why CLI11 does not do it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace homenode::cli {

struct ProgramLine {
  /// Long names in full, each value as an argument of its own: {"--membind", "0,1", "--all"}.
  std::vector<std::string> options;
  /// The program and its arguments, untouched; empty when there is none. Those of another launcher
  /// that stood among the options come first.
  std::vector<std::string> program;
};

/// How many arguments, from this one on, belong to another launcher whose options may stand among
/// ours; 0 for those that do not.
using LauncherArguments = std::function<std::size_t(const std::string& argument)>;

/// Splits the arguments after the verb by the rules of getopt_long(3) with "+": options end at "--"
/// or at the first argument that is none; short ones may share an argument; a long name may be cut
/// short as far as it stays the only one. Errors: bad_usage for unknown or ambiguous options,
/// missing values and values where none belongs.
Result<ProgramLine> split_program_line(const CLI::App& app,
                                       const std::vector<std::string>& arguments,
                                       const LauncherArguments& of_launcher = {});

}  // namespace homenode::cli
