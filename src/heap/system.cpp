#include "heap/system.h"

#include <linux/futex.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include <cerrno>

#include "base/atomic.h"
#include "base/raw_call.h"

namespace homenode::heap::system {
namespace {

struct Counters {
  Atomic<std::uint64_t> maps;
  Atomic<std::uint64_t> policies;
  Atomic<std::uint64_t> refused_policies;
};
constinit Counters counted;

void count(Atomic<std::uint64_t>& counter) {
  counter.add_relaxed(1);
}

void* map_at(std::uintptr_t hint, std::size_t bytes, int flags) {
  count(counted.maps);
  return raw_map(hint, bytes, MAP_NORESERVE | flags);
}

bool aligned(const void* address, std::size_t alignment) {
  return (reinterpret_cast<std::uintptr_t>(address) & (alignment - 1)) == 0;
}

/// Just the bytes, at an aligned address near where the kernel would have put them: needs no more
/// address space than it gives, which counts under a limit.
void* map_below(std::uintptr_t near, std::size_t bytes, std::size_t alignment) {
  constexpr int tries = 64;
  std::uintptr_t at = (near - bytes) & ~(alignment - 1);
  for (int i = 0; i < tries && at > alignment; ++i, at -= alignment) {
    void* const got = map_at(at, bytes, MAP_FIXED_NOREPLACE);
    if (got == nullptr) continue;
    if (aligned(got, alignment)) return got;
    unmap(got, bytes);  // A kernel that does not know the flag takes the address as a hint.
  }
  return nullptr;
}

}  // namespace

void* map(std::size_t bytes, std::size_t alignment) {
  void* const any = map_at(0, bytes, 0);
  if (any == nullptr || aligned(any, alignment)) return any;
  unmap(any, bytes);
  if (void* const got = map_below(reinterpret_cast<std::uintptr_t>(any) + bytes, bytes, alignment);
      got != nullptr) {
    return got;
  }
  if (bytes + alignment < bytes) return nullptr;
  char* const wide = static_cast<char*>(map_at(0, bytes + alignment, 0));
  if (wide == nullptr) return nullptr;
  const std::size_t before =
      (alignment - (reinterpret_cast<std::uintptr_t>(wide) & (alignment - 1))) & (alignment - 1);
  if (before > 0) unmap(wide, before);
  if (alignment > before) unmap(wide + before + bytes, alignment - before);
  return wide + before;
}

int unmap(void* address, std::size_t bytes) {
  return static_cast<int>(raw_unmap(address, bytes));
}

int resize(void* address, std::size_t old_bytes, std::size_t new_bytes) {
  const long result = raw_call(SYS_mremap, address, old_bytes, new_bytes, 0);
  return result == reinterpret_cast<long>(address) ? 0 : -ENOMEM;
}

int move(void* from, std::size_t old_bytes, void* to, std::size_t new_bytes) {
  const long result =
      raw_call(SYS_mremap, from, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  return result == reinterpret_cast<long>(to) ? 0 : static_cast<int>(result);
}

int discard(void* address, std::size_t bytes) {
  return static_cast<int>(raw_call(SYS_madvise, address, bytes, MADV_DONTNEED));
}

int bind(void* address, std::size_t bytes, int mode, const NodeMask& nodes, unsigned flags) {
  const bool any = nodes.next(0) < max_nodes;
  count(counted.policies);
  const int result =
      static_cast<int>(raw_call(SYS_mbind, address, bytes, mode, any ? nodes.words : nullptr,
                                any ? max_nodes + 1UL : 0UL, flags));
  if (result != 0) count(counted.refused_policies);
  return result;
}

int name(void* address, std::size_t bytes, const char* text) {
  return static_cast<int>(raw_call(SYS_prctl, set_vma, 0UL, address, bytes, text));
}

bool locks_new_memory() {
  constexpr std::size_t page_bytes = 4096;
  void* const page = map_at(0, page_bytes, 0);
  if (page == nullptr) return false;
  unsigned char present = 0;
  raw_call(SYS_mincore, page, page_bytes, &present);
  unmap(page, page_bytes);
  return (present & 1U) != 0;
}

int discard_locked(void* address, std::size_t bytes) {
  raw_call(SYS_munlock, address, bytes);
  return discard(address, bytes);
}

int use_small_pages(void* address, std::size_t bytes) {
  return static_cast<int>(raw_call(SYS_madvise, address, bytes, MADV_NOHUGEPAGE));
}

int use_huge_pages(void* address, std::size_t bytes) {
  return static_cast<int>(raw_call(SYS_madvise, address, bytes, MADV_HUGEPAGE));
}

int node_of(const void* address) {
  const void* page = reinterpret_cast<const void*>(  // NOLINT(performance-no-int-to-ptr)
      reinterpret_cast<std::uintptr_t>(address) & ~std::uintptr_t{4095});
  int status = 0;
  const long result = raw_call(SYS_move_pages, 0, 1UL, &page, nullptr, &status, 0);
  return result < 0 ? static_cast<int>(result) : status;
}

int allowed_nodes(NodeMask& nodes) {
  nodes = {};
  return static_cast<int>(raw_call(SYS_get_mempolicy, nullptr, nodes.words, max_nodes + 1UL,
                                   nullptr, static_cast<unsigned long>(MPOL_F_MEMS_ALLOWED)));
}

int get_cpu(unsigned& cpu, unsigned& node) {
  const int kept = errno;
  const int result = getcpu(&cpu, &node) == 0 ? 0 : -errno;
  errno = kept;
  return result;
}

long read_file(const char* path, char* buffer, std::size_t room) {
  char part[512];
  std::size_t size = 0;
  const long result = raw_read(path, part, sizeof part, [&](const char* bytes, std::size_t count) {
    const std::size_t fits = count < room - size ? count : room - size;
    for (std::size_t i = 0; i < fits; ++i) buffer[size + i] = bytes[i];
    size += fits;
    return size < room;
  });
  return result < 0 ? result : static_cast<long>(size);
}

void write(int file, const char* text, std::size_t bytes) {
  raw_write(file, text, bytes);
}

std::uint64_t milliseconds() {
  timespec now{};
  const int kept = errno;
  (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  errno = kept;
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
         static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

void wait(unsigned* word, unsigned value) {
  raw_call(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nullptr);
}

void wake(unsigned* word) {
  raw_call(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

bool thread_gone(int thread) {
  return raw_call(SYS_tgkill, getpid(), thread, 0) == -ESRCH;
}

int thread_id() {
  return static_cast<int>(raw_call(SYS_gettid));
}

void stop() {
  (void)raise(SIGABRT);
  __builtin_trap();
}

Calls calls() {
  return {counted.maps.load_relaxed(), counted.policies.load_relaxed(),
          counted.refused_policies.load_relaxed()};
}

}  // namespace homenode::heap::system
