// How help looks: options in groups, wrapped to the terminal, and examples at the end. Serves every
// verb.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace CLI {
class FormatterBase;
}  // namespace CLI

namespace homenode::cli {

/// The columns of the terminal that the standard output is, at most 100; 80 where it is none.
std::size_t help_columns();

/// Text in lines of at most `columns`, each after the first behind `indent` blanks. Lines of the
/// text stay apart; a longer word has a line of its own.
std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent);

/// What lays out an app's help, and that of its subcommands if they are added after it is set.
std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t columns);

/// "Examples:" and each with what it shows; nothing for none.
std::string examples_text(const std::vector<Example>& examples, std::size_t columns);

}  // namespace homenode::cli
