// homenode measure: what each pair of nodes costs.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_measure();

}  // namespace homenode::cli
