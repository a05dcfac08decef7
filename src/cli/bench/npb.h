// homenode bench npb: the NAS Parallel Benchmarks as a sub-command of `bench`.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_npb();

}  // namespace homenode::cli
