// libhomenode-allocations.so: preloaded into a program that cannot be changed, it places static
// data before main() and each large allocation by rules of their own. Serves the launcher's
// --place. It stands before the allocator, whichever that is, and calls it; apart from the agent,
// so that a program whose threads alone are placed keeps its malloc as it is.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "agent/account.h"
#include "agent/operator_new.h"
#include "agent/place_allocation.h"
#include "agent/static_data.h"
#include "agent/words.h"

namespace homenode::agent {
namespace {

constinit Arena arena;
constinit Words words;
constinit bool active = false;
constinit std::size_t page_bytes = 4096;
constinit std::size_t least_bytes = 0;  ///< Smaller allocations are nobody's; for speed.

[[gnu::constructor]] void start_allocations(int, char**, char** environment) {
  const char* const text = find_wire(environment);
  if (text == nullptr) return;
  open_account();
  if (!read_words(text, arena, words)) {
    note_failure(why_unread(arena));
    return;
  }
  page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  find_pieces(words);
  place_static_data(words, page_bytes);
  least_bytes = SIZE_MAX;
  for (std::size_t i = 0; i < words.rule_count; ++i) {
    const std::uint64_t bytes = words.rules[i].at_least_bytes;
    if (bytes < least_bytes) least_bytes = bytes;
  }
  active = words.rule_count > 0;
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

void place(const Pages& pages, const AllocationRule& rule) {
  place_pages(pages, rule, Present::first);
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

void* placed(void* memory, std::size_t bytes, const void* caller) {
  if (const void* const outer = take_caller_of_new()) caller = outer;
  if (!active || memory == nullptr || bytes < least_bytes) return memory;
  const AllocationRule* const rule = rule_for(bytes, reinterpret_cast<std::uintptr_t>(caller));
  if (rule != nullptr) place(pages_of(reinterpret_cast<std::uintptr_t>(memory), bytes), *rule);
  return memory;
}

/// The program's own mappings: private memory that it can write to and does not merely reserve. A
/// policy also suits what is only reserved yet, because it brings nothing in.
void* placed_mapping(void* memory, std::size_t bytes, int protection, int flags,
                     const void* caller) {
  constexpr int wanted = MAP_PRIVATE | MAP_ANONYMOUS;
  constexpr int unwanted = MAP_STACK | MAP_GROWSDOWN | MAP_HUGETLB;
  if (!active || memory == MAP_FAILED || bytes < least_bytes) return memory;
  if ((flags & wanted) != wanted || (flags & unwanted) != 0) return memory;
  const AllocationRule* const rule = rule_for(bytes, reinterpret_cast<std::uintptr_t>(caller));
  if (rule == nullptr) return memory;
  const bool reserved = (protection & PROT_WRITE) == 0 || (flags & MAP_NORESERVE) != 0;
  if (reserved && rule->kind != AllocationRule::Kind::policy) return memory;
  place(
      {reinterpret_cast<std::uintptr_t>(memory), (bytes + page_bytes - 1) / page_bytes, page_bytes},
      *rule);
  return memory;
}

/// The function that we stand before. dlsym allocates nothing where it finds the name.
template <class Function>
Function* following(Function*& kept, const char* name) {
  if (kept == nullptr) kept = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return kept;
}

constinit decltype(&malloc) real_malloc = nullptr;
constinit decltype(&calloc) real_calloc = nullptr;
constinit decltype(&realloc) real_realloc = nullptr;
constinit decltype(&aligned_alloc) real_aligned_alloc = nullptr;
constinit decltype(&posix_memalign) real_posix_memalign = nullptr;
constinit decltype(&aligned_alloc) real_memalign = nullptr;
using Mmap = void*(void*, std::size_t, int, int, int, off_t);
constinit Mmap* real_mmap = nullptr;

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
}
#pragma GCC visibility pop
