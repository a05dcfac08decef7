// The verb `run`.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_run();

}  // namespace homenode::cli
