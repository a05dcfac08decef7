// The command line of a verb that starts a program: where its own options end. A parser that
// looked further would take the program's options for its own.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parser_fwd.h"

namespace homenode::cli {

struct ProgramLine {
  /// Long names in full, each value as a word of its own: {"--membind", "0,1", "--all"}.
  std::vector<std::string> options;
  /// The program and its arguments, untouched; empty when there is none.
  std::vector<std::string> program;
};

/// Splits the words after the verb by the rules of getopt_long(3) with "+": options end at "--" or
/// at the first word that is none; short ones may share a word; a long name may be cut short as far
/// as it stays the only one. Errors: bad_usage for unknown or ambiguous options, missing values and
/// values where none belongs.
Result<ProgramLine> split_program_line(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace homenode::cli
