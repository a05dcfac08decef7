// homenode bench numa-mem: processes and threads on memory of their own and each other's, with the
// options of `perf bench numa mem`.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_numa_mem();

}  // namespace homenode::cli
