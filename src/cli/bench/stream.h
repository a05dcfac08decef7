// homenode bench stream: the four loops of STREAM, under any strategy.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_stream();

}  // namespace homenode::cli
