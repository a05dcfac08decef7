// Man pages, made from the same option definitions as the help.
#pragma once

#include <string>

#include "cli/verb.h"

namespace homenode::cli {

/// A man page in roff for a built-in verb, from its parser.
std::string man_page(const Verb& verb, const CLI::App& app);

/// The page of the command itself, homenode(1): its verbs, environment and files.
std::string top_man_page();

/// `homenode --man-page VERB|homenode`: prints the page; used by the build and by packagers.
int print_man_page(Context& context, const std::string& name);

}  // namespace homenode::cli
