#include "os/linux.h"

#include <linux/mempolicy.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_set_mempolicy_home_node
#define SYS_set_mempolicy_home_node 450
#endif

namespace homenode::os {
namespace {

using Word = NodeSet::Word;
constexpr std::size_t word_bits = NodeSet::word_bits;
/// Far above every kernel's limits on nodes (NODES_SHIFT <= 10) and CPUs (NR_CPUS <= 8192).
constexpr std::size_t largest_mask_words = 1 << 14;

int negative_errno(long result) {
  return result < 0 ? -errno : static_cast<int>(result);
}

/// The kernel takes one off `maxnode` before it reads the mask, so bits + 1 is what it must be
/// told.
unsigned long maxnode_of(std::size_t words) {
  return words == 0 ? 0 : words * word_bits + 1;
}

const Word* mask_of(const NodeSet& nodes) {
  return nodes.empty() ? nullptr : nodes.words().data();
}

/// For kernels without MADV_POPULATE_WRITE. Adding nothing, atomically, is a write fault that
/// leaves even a byte that another thread is writing as it should be.
void touch_each_page(void* address, std::size_t bytes, std::size_t page_bytes) {
  char* const first = static_cast<char*>(address);
  for (std::size_t offset = 0; offset < bytes; offset += page_bytes) {
    std::atomic_ref<char>(first[offset]).fetch_or(0, std::memory_order_relaxed);
  }
}

/// How many of the ranges, from the first on, are present after process_madvise(2).
std::size_t populate_at_once(std::span<const MemoryRange> ranges) {
  constexpr std::size_t most_at_once = 1024;  // UIO_MAXIOV
  if (ranges.size() < 2) return 0;
  const auto self = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  if (self < 0) return 0;
  std::size_t done = 0;
  while (done < ranges.size()) {
    iovec vector[most_at_once];
    const std::size_t count = std::min(most_at_once, ranges.size() - done);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      vector[i] = {ranges[done + i].address, ranges[done + i].bytes};
      bytes += ranges[done + i].bytes;
    }
    const long result = syscall(SYS_process_madvise, self, vector, count, MADV_POPULATE_WRITE, 0UL);
    if (result < 0 || static_cast<std::size_t>(result) != bytes) break;
    done += count;
  }
  close(self);
  return done;
}

}  // namespace

int Linux::set_mempolicy(int mode, const NodeSet& nodes) {
  return negative_errno(
      syscall(SYS_set_mempolicy, mode, mask_of(nodes), maxnode_of(nodes.words().size())));
}

int Linux::get_mempolicy(int& mode, NodeSet& nodes) {
  return read_policy(nullptr, 0, mode, nodes);
}

int Linux::read_policy(void* address, unsigned long flags, int& mode, NodeSet& nodes) {
  // EINVAL says that the mask is smaller than the kernel's own (1024 bits with NODES_SHIFT=10).
  for (std::size_t words = 1024 / word_bits; words <= largest_mask_words; words *= 2) {
    std::vector<Word> mask(words, 0);
    const long result =
        syscall(SYS_get_mempolicy, &mode, mask.data(), maxnode_of(words), address, flags);
    if (result == 0) {
      nodes = NodeSet::from_words(std::move(mask));
      return 0;
    }
    if (errno != EINVAL) return -errno;
  }
  return -EINVAL;
}

int Linux::next_interleave_node(NodeId& node) {
  int value = 0;
  const long result = syscall(SYS_get_mempolicy, &value, nullptr, 0UL, nullptr, MPOL_F_NODE);
  if (result < 0) return -errno;
  node = NodeId(static_cast<unsigned>(value));
  return 0;
}

int Linux::mbind(void* address, std::size_t bytes, int mode, const NodeSet& nodes, unsigned flags) {
  return negative_errno(syscall(SYS_mbind, address, bytes, mode, mask_of(nodes),
                                maxnode_of(nodes.words().size()), flags));
}

int Linux::set_home_node(void* address, std::size_t bytes, NodeId home) {
  return negative_errno(syscall(SYS_set_mempolicy_home_node, address, bytes,
                                static_cast<unsigned long>(home.value()), 0UL));
}

int Linux::move_pages(pid_t pid, std::span<void* const> pages, std::span<const int> targets,
                      std::span<int> status, int flags) {
  assert(status.size() == pages.size());
  assert(targets.empty() || targets.size() == pages.size());
  return negative_errno(syscall(SYS_move_pages, pid, pages.size(), pages.data(),
                                targets.empty() ? nullptr : targets.data(), status.data(), flags));
}

int Linux::sched_setaffinity(pid_t thread, const CpuSet& cpus) {
  const auto& words = cpus.words();
  return negative_errno(
      syscall(SYS_sched_setaffinity, thread, words.size() * sizeof(Word), words.data()));
}

int Linux::sched_getaffinity(pid_t thread, CpuSet& cpus) {
  for (std::size_t words = 1024 / word_bits; words <= largest_mask_words; words *= 2) {
    std::vector<Word> mask(words, 0);
    // The C library's function, which may be told more: see agent/threads.cpp.
    if (::sched_getaffinity(thread, words * sizeof(Word),
                            reinterpret_cast<cpu_set_t*>(mask.data())) == 0) {
      cpus = CpuSet::from_words(std::move(mask));
      return 0;
    }
    if (errno != EINVAL) return -errno;
  }
  return -EINVAL;
}

int Linux::getcpu(CpuId& cpu, NodeId& node) {
  unsigned cpu_value = 0;
  unsigned node_value = 0;
  if (syscall(SYS_getcpu, &cpu_value, &node_value, nullptr) < 0) return -errno;
  cpu = CpuId(cpu_value);
  node = NodeId(node_value);
  return 0;
}

int Linux::map_memory(std::size_t bytes, void*& address) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return -errno;
  address = mapped;
  return 0;
}

int Linux::map_aligned_memory(std::size_t bytes, std::size_t alignment, void*& address) {
  if (alignment <= page_bytes()) return map_memory(bytes, address);
  // Only address space, in which the memory then takes its place.
  constexpr int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  void* const space = mmap(nullptr, bytes + alignment, PROT_NONE, anonymous | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return -errno;
  char* const first = static_cast<char*>(space);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(space) % alignment;
  void* const mapped =
      mmap(first + before, bytes, PROT_READ | PROT_WRITE, anonymous | MAP_FIXED, -1, 0);
  if (mapped == MAP_FAILED) {
    const int error = -errno;
    munmap(space, bytes + alignment);
    return error;
  }
  // bytes may end within a page, which is mapped whole.
  const std::size_t used = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
  if (before > 0) munmap(space, before);
  if (before + used < bytes + alignment) {
    munmap(first + before + used, bytes + alignment - before - used);
  }
  address = mapped;
  return 0;
}

int Linux::unmap_memory(void* address, std::size_t bytes) {
  return negative_errno(munmap(address, bytes));
}

int Linux::advise_memory(void* address, std::size_t bytes, int advice) {
  return negative_errno(madvise(address, bytes, advice));
}

int Linux::name_memory(void* address, std::size_t bytes, const std::string& name) {
  // linux/prctl.h has these since Linux 5.17.
  constexpr int set_vma = 0x53564d41;
  constexpr unsigned long anonymous_name = 0;
  return negative_errno(prctl(set_vma, anonymous_name, address, bytes, name.c_str()));
}

int Linux::protect_memory(void* address, std::size_t bytes, int protection) {
  return negative_errno(mprotect(address, bytes, protection));
}

int Linux::populate_memory(void* address, std::size_t bytes) {
  if (madvise(address, bytes, MADV_POPULATE_WRITE) == 0) return 0;
  if (errno != EINVAL) return -errno;
  touch_each_page(address, bytes, page_bytes());
  return 0;
}

int Linux::populate_ranges(std::span<const MemoryRange> ranges) {
  // A system call for each page of a map costs a quarter of the fault itself. Kernels that take no
  // such advice here, and sandboxes, refuse the first call, and then each range has its own.
  const std::size_t done = populate_at_once(ranges);
  for (const MemoryRange& range : ranges.subspan(done)) {
    if (const int result = populate_memory(range.address, range.bytes)) return result;
  }
  return 0;
}

std::size_t Linux::page_bytes() {
  static const auto bytes =
      static_cast<std::size_t>(sysconf(_SC_PAGESIZE));  // Asked for each page.
  return bytes;
}

int Linux::execute(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return -EINVAL;
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  return -errno;
}

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace homenode::os
