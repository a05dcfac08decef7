// Charm++'s words before the program, as its own launcher takes them, or behind it, where its
// programs take them. Pure; serves the verb `run`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/program_line.h"
#include "launch/threads.h"

namespace homenode::cli {

/// Takes the words that begin with '+' and their values off the front of `program`, and a "--"
/// after them. Errors: bad_usage for an unknown word, one without its value, one given twice.
Result<launch::CharmRequest> take_charm_words(std::vector<std::string>& program);

/// The words after the verb with the options first, where some stand behind Charm++'s words;
/// nothing where none does. `program` is what the parser left of `words`, from the first word on
/// that is no option. Errors: those of split_program_line().
Result<std::optional<std::vector<std::string>>> options_before_charm_words(
    const CLI::App& app, const std::vector<std::string>& words,
    const std::vector<std::string>& program);

/// The words that stand among a program's own arguments; +pemap alone is enough there, as in
/// Charm++. Errors: as take_charm_words().
Result<launch::CharmRequest> find_charm_words(const std::vector<std::string>& program);

}  // namespace homenode::cli
