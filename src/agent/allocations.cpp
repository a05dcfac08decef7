// libhomenode-allocations.so: preloaded into a program that cannot be changed, it places static
// data before main() and each large allocation by rules of their own. Serves the launcher's
// --place. It stands before the allocator, whichever that is, and calls it; apart from the agent,
// so that a program whose threads alone are placed keeps its malloc as it is.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "agent/account.h"
#include "agent/calls.h"
#include "agent/place_allocation.h"
#include "agent/words.h"

namespace homenode::agent {
namespace {

constinit Arena arena;
constinit Words words;
constinit bool active = false;
constinit std::size_t page_bytes = 4096;
constinit std::size_t least_bytes = 0;  ///< Smaller allocations are nobody's; for speed.

/// The program's own mapping.
struct Mapping {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  int protection = 0;
  int flags = 0;
  const void* caller = nullptr;
};

/// Those from before start_allocations: a library that the program is linked to is initialised
/// earlier than one that is preloaded, and jemalloc maps its first memory then.
constinit Mapping early[16] = {};
constinit std::size_t early_count = 0;
constinit bool started = false;

void place_early();

[[gnu::constructor]] void start_allocations(int, char**, char** environment) {
  const bool read = open_account(environment, arena, words);
  started = true;
  if (!read) return;
  page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  find_pieces(words);
  place_static_data(words, page_bytes);
  least_bytes = SIZE_MAX;
  for (std::size_t i = 0; i < words.rule_count; ++i) {
    const std::uint64_t bytes = words.rules[i].at_least_bytes;
    if (bytes < least_bytes) least_bytes = bytes;
  }
  active = words.rule_count > 0;
  place_early();
}

[[gnu::destructor]] void end_allocations() {
  if (words.verbose) tell_account();
}

const AllocationRule* rule_for(std::size_t bytes, std::uintptr_t caller) {
  for (std::size_t i = 0; i < words.rule_count; ++i) {
    const AllocationRule& rule = words.rules[i];
    if (bytes >= rule.at_least_bytes && is_asked_from(rule, caller)) return &rule;
  }
  return nullptr;
}

void place(const Pages& pages, const AllocationRule& rule, Present present = Present::first) {
  place_pages(pages, rule, present);
  count_allocation(pages.count);
}

/// All pages that hold a part of it. An allocation of this size is a mapping of its own in glibc,
/// with its header on the first page (the launcher sees to it: GLIBC_TUNABLES); with another
/// allocator a neighbour on the first or last page goes with it.
Pages pages_of(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t within = page_bytes - 1;
  const std::uintptr_t first = address & ~within;
  return {first, (((address + bytes + within) & ~within) - first) / page_bytes, page_bytes};
}

// C++'s operator new stands before the C++ library's: it asks malloc from within that library, so
// what called it would be lost. Each form notes its caller for malloc and calls the real one.

thread_local constinit const void* noted_caller = nullptr;

/// The next one in the order of the program's libraries; or that of a C++ library that a plugin
/// brought along for itself, which is not in that order.
void* find_real(const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  void* const library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? dlsym(library, name) : nullptr;
}

/// What an operator without a real one does: a plugin that holds a C++ library within itself and
/// exports its names gets to ours all the same. Its operator delete calls free.
void* allocate(std::size_t bytes, std::size_t alignment, bool may_fail) {
  const std::size_t some = bytes == 0 ? 1 : bytes;
  void* const memory =
      alignment == 0 ? std::malloc(some)
                     : std::aligned_alloc(alignment, (some + alignment - 1) & ~(alignment - 1));
  if (memory == nullptr && !may_fail) std::abort();  // There is nobody to throw std::bad_alloc.
  return memory;
}

/// Calls the real operator with the caller noted; the array forms call the others, and it is
/// theirs. An exception may pass: malloc has taken the note then.
template <class Real>
void* with_caller(const void* caller, Real real) {
  const bool outermost = noted_caller == nullptr;
  if (outermost) noted_caller = caller;
  void* const memory = real();
  if (outermost) noted_caller = nullptr;  // An allocator of the program's own took none.
  return memory;
}

template <class Operator>
Operator* real_of(void*& kept, const char* name) {
  void* real = __atomic_load_n(&kept, __ATOMIC_RELAXED);
  if (real == nullptr) {
    real = find_real(name);
    __atomic_store_n(&kept, real, __ATOMIC_RELAXED);
  }
  return reinterpret_cast<Operator*>(real);
}

void* plain(void*& kept, const char* name, const void* caller, std::size_t bytes) {
  return with_caller(caller, [&] {
    auto* const real = real_of<void*(std::size_t)>(kept, name);
    return real != nullptr ? real(bytes) : allocate(bytes, 0, false);
  });
}

void* aligned(void*& kept, const char* name, const void* caller, std::size_t bytes,
              std::size_t alignment) {
  return with_caller(caller, [&] {
    auto* const real = real_of<void*(std::size_t, std::size_t)>(kept, name);
    return real != nullptr ? real(bytes, alignment) : allocate(bytes, alignment, false);
  });
}

void* failing(void*& kept, const char* name, const void* caller, std::size_t bytes,
              const void* tag) {
  return with_caller(caller, [&] {
    auto* const real = real_of<void*(std::size_t, const void*)>(kept, name);
    return real != nullptr ? real(bytes, tag) : allocate(bytes, 0, true);
  });
}

void* aligned_failing(void*& kept, const char* name, const void* caller, std::size_t bytes,
                      std::size_t alignment, const void* tag) {
  return with_caller(caller, [&] {
    auto* const real = real_of<void*(std::size_t, std::size_t, const void*)>(kept, name);
    return real != nullptr ? real(bytes, alignment, tag) : allocate(bytes, alignment, true);
  });
}

/// The real ones, by form and whether it is for arrays.
constinit void* real_plain[2] = {};
constinit void* real_aligned[2] = {};
constinit void* real_failing[2] = {};
constinit void* real_aligned_failing[2] = {};

/// The caller of the operator new that this thread is in, once; null when it is in none.
const void* take_caller_of_new() {
  const void* const caller = noted_caller;
  noted_caller = nullptr;
  return caller;
}

void* placed(void* memory, std::size_t bytes, const void* caller) {
  if (const void* const outer = take_caller_of_new()) caller = outer;
  if (!active || memory == nullptr || bytes < least_bytes) return memory;
  const AllocationRule* const rule = rule_for(bytes, reinterpret_cast<std::uintptr_t>(caller));
  if (rule != nullptr) place(pages_of(reinterpret_cast<std::uintptr_t>(memory), bytes), *rule);
  return memory;
}

/// A distribution brings every page in. That is not for what the program cannot write to yet, nor
/// for address space of which it will use a part; allocators such as jemalloc, though, map all
/// their memory without reserving it.
bool may_bring_in(std::size_t bytes, int protection, int flags) {
  if ((protection & PROT_WRITE) == 0) return false;
  return (flags & MAP_NORESERVE) == 0 || bytes <= free_bytes() / 2;
}

/// Private memory. A policy also suits what is only reserved yet, because it brings nothing in.
void place_mapping(const Mapping& mapping, Present present) {
  constexpr int wanted = MAP_PRIVATE | MAP_ANONYMOUS;
  constexpr int unwanted = MAP_STACK | MAP_GROWSDOWN | MAP_HUGETLB;
  if (mapping.bytes < least_bytes) return;
  if ((mapping.flags & wanted) != wanted || (mapping.flags & unwanted) != 0) return;
  const auto caller = reinterpret_cast<std::uintptr_t>(mapping.caller);
  const AllocationRule* const rule = rule_for(mapping.bytes, caller);
  if (rule == nullptr) return;
  const std::size_t count = (mapping.bytes + page_bytes - 1) / page_bytes;
  if (rule->kind == AllocationRule::Kind::policy ||
      may_bring_in(mapping.bytes, mapping.protection, mapping.flags)) {
    place({mapping.address, count, page_bytes}, *rule, present);
  } else {
    count_left(count);
  }
}

void* placed_mapping(void* memory, std::size_t bytes, int protection, int flags,
                     const void* caller) {
  if (memory == MAP_FAILED) return memory;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const Mapping mapping{address, bytes, protection, flags, caller};
  if (active) {
    place_mapping(mapping, Present::first);
  } else if (!started) {
    const std::size_t rank = __atomic_fetch_add(&early_count, 1, __ATOMIC_RELAXED);
    if (rank < sizeof early / sizeof *early) early[rank] = mapping;
  }
  return memory;
}

/// What is left of them: an allocator gives back the ends that it does not need.
void place_early() {
  if (!active) return;
  for (Mapping& mapping : early) {
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
    if (mapping.bytes < least_bytes || !find_mapping(mapping.address, first, end)) continue;
    if (end - mapping.address < mapping.bytes) mapping.bytes = end - mapping.address;
    place_mapping(mapping, Present::any);
  }
}

constinit decltype(&malloc) real_malloc = nullptr;
constinit decltype(&calloc) real_calloc = nullptr;
constinit decltype(&realloc) real_realloc = nullptr;
constinit decltype(&aligned_alloc) real_aligned_alloc = nullptr;
constinit decltype(&posix_memalign) real_posix_memalign = nullptr;
constinit decltype(&aligned_alloc) real_memalign = nullptr;
using Mmap = void*(void*, std::size_t, int, int, int, off_t);
constinit Mmap* real_mmap = nullptr;
constinit decltype(&madvise) real_madvise = nullptr;

}  // namespace
}  // namespace homenode::agent

using namespace homenode::agent;

#pragma GCC visibility push(default)
extern "C" {

void* malloc(std::size_t bytes) {
  return placed(following(real_malloc, "malloc")(bytes), bytes, __builtin_return_address(0));
}

void* calloc(std::size_t count, std::size_t bytes) {
  // The product does not wrap around where calloc succeeds.
  return placed(following(real_calloc, "calloc")(count, bytes), count * bytes,
                __builtin_return_address(0));
}

void* realloc(void* memory, std::size_t bytes) {
  return placed(following(real_realloc, "realloc")(memory, bytes), bytes,
                __builtin_return_address(0));
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return placed(following(real_aligned_alloc, "aligned_alloc")(alignment, bytes), bytes,
                __builtin_return_address(0));
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  return placed(following(real_memalign, "memalign")(alignment, bytes), bytes,
                __builtin_return_address(0));
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  const int result = following(real_posix_memalign, "posix_memalign")(memory, alignment, bytes);
  if (result == 0) (void)placed(*memory, bytes, __builtin_return_address(0));
  return result;
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  void* const memory =
      following(real_mmap, "mmap")(address, bytes, protection, flags, file, offset);
  return placed_mapping(memory, bytes, protection, flags, __builtin_return_address(0));
}

void* mmap64(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  void* const memory =
      following(real_mmap, "mmap")(address, bytes, protection, flags, file, offset);
  return placed_mapping(memory, bytes, protection, flags, __builtin_return_address(0));
}

// Some programs ask for huge pages, NumPy for each large array. The kernel would gather the pages
// of a distribution into them a while later, each on one node.
int madvise(void* address, std::size_t bytes, int advice) {
  if (advice == MADV_HUGEPAGE && is_distributed(reinterpret_cast<std::uintptr_t>(address), bytes)) {
    return 0;
  }
  return following(real_madvise, "madvise")(address, bytes, advice);
}
}
#pragma GCC visibility pop

// By their mangled names, because the C++ library declares the forms with std::align_val_t and
// std::nothrow_t, and this library goes without it. An alignment is passed as a number is, and the
// tag as a pointer.
// NOLINTBEGIN(bugprone-reserved-identifier): the names are C++'s.
#pragma GCC visibility push(default)
extern "C" {

void* _Znwm(std::size_t bytes) {
  return plain(real_plain[0], "_Znwm", __builtin_return_address(0), bytes);
}

void* _Znam(std::size_t bytes) {
  return plain(real_plain[1], "_Znam", __builtin_return_address(0), bytes);
}

void* _ZnwmSt11align_val_t(std::size_t bytes, std::size_t alignment) {
  return aligned(real_aligned[0], "_ZnwmSt11align_val_t", __builtin_return_address(0), bytes,
                 alignment);
}

void* _ZnamSt11align_val_t(std::size_t bytes, std::size_t alignment) {
  return aligned(real_aligned[1], "_ZnamSt11align_val_t", __builtin_return_address(0), bytes,
                 alignment);
}

void* _ZnwmRKSt9nothrow_t(std::size_t bytes, const void* tag) {
  return failing(real_failing[0], "_ZnwmRKSt9nothrow_t", __builtin_return_address(0), bytes, tag);
}

void* _ZnamRKSt9nothrow_t(std::size_t bytes, const void* tag) {
  return failing(real_failing[1], "_ZnamRKSt9nothrow_t", __builtin_return_address(0), bytes, tag);
}

void* _ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::size_t alignment,
                                         const void* tag) {
  return aligned_failing(real_aligned_failing[0], "_ZnwmSt11align_val_tRKSt9nothrow_t",
                         __builtin_return_address(0), bytes, alignment, tag);
}

void* _ZnamSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::size_t alignment,
                                         const void* tag) {
  return aligned_failing(real_aligned_failing[1], "_ZnamSt11align_val_tRKSt9nothrow_t",
                         __builtin_return_address(0), bytes, alignment, tag);
}
}
#pragma GCC visibility pop
// NOLINTEND(bugprone-reserved-identifier)
