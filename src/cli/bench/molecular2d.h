// homenode bench molecular2d: particles that patches and computes send to each other.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_molecular2d();

}  // namespace homenode::cli
