// homenode sample: which thread uses which memory of a program, written to a file while it runs.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_sample();

}  // namespace homenode::cli
