// The parts that man pages are built from, in roff's man macros. Pure text.
#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"

namespace homenode::cli::roff {

/// Text in UTF-8 that roff prints as it is: hyphens stay ASCII, so that commands can be copied, and
/// other characters are named, so that every locale has them.
std::string escape(const std::string& text);

/// A line of the help as a sentence: with a capital and a full stop.
std::string sentence(std::string text);

/// The title line, NAME, and the heading of SYNOPSIS. `page` is such as "homenode-run".
std::string head(const std::string& page, const std::string& summary);

/// A term and what it means; `term` is roff already.
std::string entry(const std::string& term, const std::string& text);

std::string bold(const std::string& text);
std::string italic(const std::string& text);

std::string examples(const std::vector<Example>& examples);

/// EXIT STATUS, with the codes that only a verb that runs a program has.
std::string exit_status(bool runs_program);

/// SEE ALSO: references such as "homenode-run(1)".
std::string see_also(const std::vector<std::string>& pages);

}  // namespace homenode::cli::roff
