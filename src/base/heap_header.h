// What the allocator and those outside it agree on. First, what it writes at the start of its
// memory, so that somebody who reads a process from outside can tell whose it is: written by the
// heap, read by sensing/heap_owners.cpp (a kernel that can name mappings says the same in
// /proc/PID/maps, but many are built without that). Then its settings: the names of its policies,
// read by the heap, checked and set by the verb `run`.
#pragma once

#include <cstdint>

namespace homenode {

/// A header can stand at multiples of this only.
inline constexpr std::uint64_t heap_header_step = std::uint64_t{1} << 26U;
/// Eight bytes that no text and no common number is.
inline constexpr std::uint64_t heap_header_magic = 0x9e60'64e0'a110'cafeU;
/// `node` of memory that serves several nodes.
inline constexpr std::uint32_t heap_header_no_node = ~std::uint32_t{0};

struct HeapHeader {
  std::uint64_t magic;
  std::uint64_t address;  ///< Its own: a copy of it elsewhere says nothing.
  std::uint32_t node;
  std::uint32_t private_heap;  ///< 1: of a private heap (homenode/heap.h); 0: of malloc itself.
};

namespace heap {

/// The names of the allocator's policies, in the order of heap::Policy.
inline constexpr const char* policy_names[] = {"bind",       "bind:strict", "preferred",
                                               "interleave", "weighted",    "local"};

inline constexpr const char* library_file = "libhomenode-malloc.so";
/// The environment variable that holds the policy.
inline constexpr const char* policy_variable = "HOMENODE_MALLOC_POLICY";

}  // namespace heap

}  // namespace homenode
