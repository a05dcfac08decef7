// homenode bench kneighbor: messages round a ring, on the sender's node or on the receiver's.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

std::unique_ptr<Verb> make_bench_kneighbor();

}  // namespace homenode::cli
