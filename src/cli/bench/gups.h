// homenode bench gups: random updates of one table, under any strategy.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_gups();

}  // namespace homenode::cli
