// MAP-numa: what `bench map` says of itself.
#pragma once

#include "workloads/program/description.h"

namespace homenode::workloads::map {

/// PID_MAX_LIMIT, which bounds the threads of the whole system.
inline constexpr unsigned most_threads = 4U << 20U;

/// The patterns are those of patterns/pattern.h, and several of them one after the other.
Description describe();

}  // namespace homenode::workloads::map
