// Charm++'s words before the program, as its own launcher takes them. Pure; serves the verb `run`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run_threads.h"

namespace homenode::cli {

/// Takes the words that begin with '+' and their values off the front of `program`, and a "--"
/// after them. Errors: bad_usage for an unknown word, one without its value, one given twice.
Result<CharmRequest> take_charm_words(std::vector<std::string>& program);

}  // namespace homenode::cli
