// homenode bench chase: chains of dependent loads, under any strategy.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_chase();

}  // namespace homenode::cli
