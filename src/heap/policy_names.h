// The words for the allocator's policies, in the order of heap::Policy. Serves the allocator's
// settings and the verb `run`.
#pragma once

namespace homenode::heap {

inline constexpr const char* policy_names[] = {"bind",       "bind:strict", "preferred",
                                               "interleave", "weighted",    "local"};

inline constexpr const char* library_file = "libhomenode-malloc.so";
/// What the environment calls the setting.
inline constexpr const char* policy_variable = "HOMENODE_MALLOC_POLICY";

}  // namespace homenode::heap
