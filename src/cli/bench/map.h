// homenode bench map: MAP-numa 1D (Luo et al., NPC 2012) as a sub-command of `bench`.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_map();

}  // namespace homenode::cli
