#include "heap/foreign.h"

#include <dlfcn.h>

#include "heap/hardening.h"
#include "heap/huge.h"
#include "heap/thread.h"

namespace homenode::heap {
namespace {

/// The next library's function of that name, which is libc's; null in a static program.
template <class Function>
Function* following(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// A huge block that was freed is no memory of ours any more, so a second free of it looks like one
// of a foreign block. The hardened build remembers the last ones. A block that was given out again
// at such an address is ours, and is not looked for here.
constexpr unsigned remembered_count = 256;
constinit void* remembered[hardened ? remembered_count : 1] = {};  // Atomic.
constinit unsigned remembered_next = 0;                            // Atomic.

void check_not_freed(void* memory) {
  if (!hardened) return;
  for (void* const& one : remembered) {
    if (__atomic_load_n(&one, __ATOMIC_RELAXED) == memory) die("freed twice", memory);
  }
}

}  // namespace

void remember_freed(void* memory) {
  if (!hardened) return;
  const unsigned at = __atomic_fetch_add(&remembered_next, 1U, __ATOMIC_RELAXED);
  __atomic_store_n(&remembered[at % remembered_count], memory, __ATOMIC_RELAXED);
}

void release_elsewhere(void* memory) {
  if (memory == nullptr) return;
  if (ground_of(memory) == Ground::huge) {
    // Before it is gone: whoever frees it again then finds it here.
    remember_freed(memory);
    if (!release_huge(memory)) die("not the start of a block", memory);
    return;
  }
  release_foreign(memory);
}

void release_foreign(void* memory) {
  check_not_freed(memory);
  using Free = void(void*);
  static constinit Free* libc_free = nullptr;
  if (libc_free == nullptr) libc_free = following<Free>("free");
  if (libc_free == nullptr) die("not a block of this program", memory);
  libc_free(memory);
}

void* resize_foreign(void* memory, std::size_t bytes) {
  check_not_freed(memory);
  using Realloc = void*(void*, std::size_t);
  static constinit Realloc* libc_realloc = nullptr;
  if (libc_realloc == nullptr) libc_realloc = following<Realloc>("realloc");
  if (libc_realloc == nullptr) die("not a block of this program", memory);
  return libc_realloc(memory, bytes);
}

std::size_t usable_foreign(void* memory) {
  using Usable = std::size_t(void*);
  static constinit Usable* libc_usable = nullptr;
  if (libc_usable == nullptr) libc_usable = following<Usable>("malloc_usable_size");
  return libc_usable == nullptr ? 0 : libc_usable(memory);
}

}  // namespace homenode::heap
