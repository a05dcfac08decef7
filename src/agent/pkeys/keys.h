// The protection keys that the sampler has of the kernel, and which one the next window takes.
// Serves the sampler by protection keys.
#pragma once

#include <cstddef>

namespace homenode::agent::pkeys {

/// Takes all that there are; how many. The calling thread keeps its rights to them denied.
std::size_t take_keys();
/// Gives them back. pre: nothing has one of them.
void give_keys_back();
/// Whether it is one of them; for signal handlers too.
bool is_own_key(int key);
/// The one that was used longest ago, of those that no thread was allowed by its last fault: that
/// thread would not fault. Where there is none, the oldest of all.
int next_key();

}  // namespace homenode::agent::pkeys
