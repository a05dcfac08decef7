// The system calls of the agent, straight to the kernel: through libc's own names they would come
// back to the agent, which stands before some of them. None of them changes errno, because the
// program around us looks at it. Each gives 0 or -errno.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

#include "agent/words.h"

namespace homenode::agent {

/// Binds the calling thread; a mask without words leaves it as it is.
int bind_thread(const Mask& cpus);
/// Sets the calling thread's policy.
int set_policy(const KernelPolicy& policy);
/// A policy for an address range; `flags` as mbind(2) has them. pre: address is a page's.
int bind_memory(std::uintptr_t address, std::size_t bytes, const KernelPolicy& policy,
                unsigned flags);
/// The calling thread's policy; `words` holds its nodes and must have room for the kernel's masks.
int read_policy(int& mode, unsigned long* words, std::size_t count);
int advise_memory(std::uintptr_t address, std::size_t bytes, int advice);
/// The node that a range with a policy of several nodes takes its memory from first (Linux 5.17).
int set_home_node(std::uintptr_t address, std::size_t bytes, unsigned node);
/// Asks the kernel to move pages to a node; `status` gets, for each, its node or -errno: -ENOENT
/// where it is not present.
int move_pages(const std::uintptr_t* addresses, std::size_t count, unsigned node, int* status);
/// False only where the kernel says that it is not.
bool may_be_present(std::uintptr_t page);
/// Zeroed memory, or null.
void* map_memory(std::size_t bytes);
void unmap_memory(void* memory, std::size_t bytes);
/// The mapping that holds an address, by /proc/self/maps.
bool find_mapping(std::uintptr_t address, std::uintptr_t& first, std::uintptr_t& end);

/// Memory of the machine that programs may still take; 0 where the kernel does not say.
std::size_t free_bytes();

/// What tells one file from all others.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
int identify_file(const char* path, FileIdentity& identity);
/// Of an open file.
int identify_open(int file, FileIdentity& identity);
/// Its size; below 0 where that is not known.
long size_of_open(int file);

/// The next function of this name, for a library that stands before it; looked up once. dlsym
/// allocates nothing where it finds the name.
template <class Function>
Function* following(Function*& kept, const char* name) {
  if (kept == nullptr) kept = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return kept;
}

/// The kernel's masks are of at most so many words (CONFIG_NODES_SHIFT is 10 at most).
inline constexpr std::size_t node_words = 1024 / (sizeof(unsigned long) * 8);

}  // namespace homenode::agent
