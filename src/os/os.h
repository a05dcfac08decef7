// The contract with the operating system: every system call and every /proc or /sys read that
// homenode makes goes through here, so that tests can refuse, count and replay them.
//
// One error convention: a call returns 0 (or its value) on success and -errno on failure.
// Implementations: os/linux.h (the kernel) and tests/fake/fake.h (a model with fault injection).
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/id_set.h"
#include "os/files.h"
#include "os/perf_events.h"
#include "os/programs.h"
#include "os/shared_memory.h"
#include "os/sockets.h"

namespace homenode::os {

/// A part of the address space.
struct MemoryRange {
  void* address = nullptr;
  std::size_t bytes = 0;
};

class Os : public SharedMemory, public Files, public PerfEvents, public Programs, public Sockets {
 public:
  Os() = default;

  /// `mode` is one of MPOL_* with MPOL_F_* flags, from <linux/mempolicy.h>. Empty nodes = no mask.
  virtual int set_mempolicy(int mode, const NodeSet& nodes) = 0;
  /// The calling thread's policy (with flags) and its nodes.
  virtual int get_mempolicy(int& mode, NodeSet& nodes) = 0;
  /// The node that the calling thread's next interleaved page goes to (get_mempolicy, MPOL_F_NODE).
  /// Errors: EINVAL when its policy is not interleave.
  virtual int next_interleave_node(NodeId& node) = 0;
  /// pre: address is page aligned. `flags` is MPOL_MF_*.
  virtual int mbind(void* address, std::size_t bytes, int mode, const NodeSet& nodes,
                    unsigned flags) = 0;
  /// set_mempolicy_home_node(2), Linux 5.17: where the bind and preferred-many policies of the
  /// range look first. Errors: EOPNOTSUPP when a part of the range has another policy. pre: address
  /// is page aligned.
  virtual int set_home_node(void* address, std::size_t bytes, NodeId home) = 0;
  /// move_pages(2). Empty `targets` is the query form. status[i] = node or -errno.
  /// pre: status.size() == pages.size(); targets empty or as many.
  virtual int move_pages(pid_t pid, std::span<void* const> pages, std::span<const int> targets,
                         std::span<int> status, int flags) = 0;
  /// `thread` 0 is the caller.
  virtual int sched_setaffinity(pid_t thread, const CpuSet& cpus) = 0;
  virtual int sched_getaffinity(pid_t thread, CpuSet& cpus) = 0;
  /// The CPU that the caller runs on.
  virtual int getcpu(CpuId& cpu, NodeId& node) = 0;
  /// Anonymous private memory, page aligned; nullptr in `address` never comes with success.
  virtual int map_memory(std::size_t bytes, void*& address) = 0;
  /// The same from a multiple of `alignment` on, a power of two of a page or more, and exactly so
  /// much: whoever places pages as they are mapped sees no other memory.
  virtual int map_aligned_memory(std::size_t bytes, std::size_t alignment, void*& address) = 0;
  virtual int unmap_memory(void* address, std::size_t bytes) = 0;
  /// madvise(2).
  virtual int advise_memory(void* address, std::size_t bytes, int advice) = 0;
  /// prctl(2), PR_SET_VMA_ANON_NAME: what /proc/PID/maps calls anonymous memory. Errors: EINVAL on
  /// a kernel without CONFIG_ANON_VMA_NAME. pre: whole pages; fewer than 80 printable characters,
  /// none of them a backslash, a backquote, a dollar sign or a bracket.
  virtual int name_memory(void* /*address*/, std::size_t /*bytes*/, const std::string& /*name*/) {
    return -ENOSYS;
  }
  /// mprotect(2); `protection` is PROT_*.
  virtual int protect_memory(void* address, std::size_t bytes, int protection) = 0;
  /// Makes every page of the range present and writable under the policies in force; the content
  /// stays (MADV_POPULATE_WRITE, or a touch of each page before kernel 5.14).
  /// pre: a page-aligned range of writable memory.
  virtual int populate_memory(void* address, std::size_t bytes) = 0;
  /// The same for many ranges, in order, with few system calls where the kernel can (6.13). Stops
  /// at the first range that fails.
  virtual int populate_ranges(std::span<const MemoryRange> ranges) = 0;
  virtual std::size_t page_bytes() = 0;
  /// execvp(3): returns only on failure.
  virtual int execute(const std::vector<std::string>& arguments) = 0;
};

}  // namespace homenode::os
