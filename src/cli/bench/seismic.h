// homenode bench seismic: waves in an elastic medium, the problem of Ondes3D.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_seismic();

}  // namespace homenode::cli
