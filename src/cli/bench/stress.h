// homenode bench stress: the stress test for placement daemons of De Santis' study of numad.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_stress();

}  // namespace homenode::cli
