// Man pages, made from the same option definitions as the help.
#pragma once

#include <string>

#include "cli/verb.h"

namespace homenode::cli {

/// A man page in roff for a built-in verb, from its parser.
std::string man_page(const Verb& verb, const CLI::App& app);

/// The same of a verb that is not built in, from its description in JSON, as 'python3 -m
/// homenode.man VERB' prints it. Errors: bad_usage for what is none.
Result<std::string> man_page(const std::string& description);

/// The page of the command itself, homenode(1): its verbs, environment and files.
std::string top_man_page();

/// `homenode --man-page VERB|homenode|-`: prints the page, for "-" of the description on the
/// standard input; `homenode --describe-verb VERB`: the options of a built-in verb `as_json`. Both
/// are used by the build and by packagers.
int print_man_page(Context& context, const std::string& name, bool as_json);

}  // namespace homenode::cli
