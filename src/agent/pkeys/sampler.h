// The sampler's thread within the program: opens windows as often as the budget allows, and writes
// what the handlers saw. Serves the sampler by protection keys.
#pragma once

#include <cstdint>

#include "agent/pkeys/settings.h"

namespace homenode::agent::pkeys {

/// Finds out whether sampling is possible here (machine, kernel, libc and program) and takes what
/// it needs: null, or why it is not. Before any other code of the program, once.
const char* prepare();

/// Starts the thread that samples, or, with a reason, only tells that in the sample file.
void start_sampler(const char* file, const Settings& settings, const char* refusal);
/// Ends sampling in this process and waits until the sampler's thread has; nothing is armed then.
void stop_sampler();

}  // namespace homenode::agent::pkeys
