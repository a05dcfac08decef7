// homenode bench gather: gather and scatter after index patterns, under any strategy.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_gather();

}  // namespace homenode::cli
