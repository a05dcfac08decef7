// The verb `topology`.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_topology();

}  // namespace homenode::cli
