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

}  // namespace

void release_elsewhere(void* memory) {
  if (memory == nullptr) return;
  if (ground_of(memory) == Ground::huge) {
    if (!release_huge(memory)) die("not the start of a block", memory);
    return;
  }
  release_foreign(memory);
}

void release_foreign(void* memory) {
  using Free = void(void*);
  static constinit Free* libc_free = nullptr;
  if (libc_free == nullptr) libc_free = following<Free>("free");
  if (libc_free == nullptr) die("not a block of this program", memory);
  libc_free(memory);
}

void* resize_foreign(void* memory, std::size_t bytes) {
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
