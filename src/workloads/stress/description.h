// The daemon stress test: what `bench stress` says of itself.
#pragma once

#include "workloads/program/description.h"

namespace homenode::workloads::stress {

/// Longest time that an option may ask for, in seconds.
inline constexpr double longest_s = 7.0 * 24 * 3600;

/// Its patterns are those of targets.h. Nothing places its memory but the modes' daemons.
Description describe();

}  // namespace homenode::workloads::stress
