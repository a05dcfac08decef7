// The command line of a verb that starts a program: where its own options end. A parser that
// looked further would take the program's options for its own. And what is wrong with a command
// line of any verb, in words for people, with the name that was probably meant.
// docs/decisions/0017-options-end-where-getopt-ends-them.md says why CLI11 does not do it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace CLI {
class ParseError;
}

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

/// " (did you mean '--json'?)", or nothing where no candidate is near.
std::string did_you_mean(const std::string& given, const std::vector<std::string>& candidates);

/// Every option's long names as people write them, "--json", of `app` alone.
std::vector<std::string> long_options(const CLI::App& app);

/// One phrase about why `app`, which has parsed what it could, refused the rest.
std::string misuse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace homenode::cli
