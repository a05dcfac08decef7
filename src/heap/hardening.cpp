#include "heap/hardening.h"

#include <sys/auxv.h>

#include <cstring>

#include "base/atomic.h"
#include "heap/text.h"

namespace homenode::heap {
namespace {

// A huge block that was freed is no memory of ours any more, so a second free of it looks like one
// of a foreign block. The hardened build remembers the last ones. A block that was given out again
// at such an address is ours, and is not looked for here.
constexpr unsigned remembered_count = 256;
constinit Atomic<void*> remembered[hardened ? remembered_count : 1] = {};
constinit Atomic<unsigned> remembered_next;

}  // namespace

#if defined(HN_HEAP_HARDENED)
constinit std::uintptr_t secret = 0;

/// The kernel gives each process random bytes.
void draw_secret() {
  const unsigned long bytes = getauxval(AT_RANDOM);
  if (bytes == 0) return;
  std::memcpy(&secret, reinterpret_cast<const void*>(bytes), sizeof secret);  // NOLINT
}
#else
void draw_secret() {}
#endif

void die(const char* what, const void* address) {
  Text text;
  text.add("homenode-malloc: ").add_hex(reinterpret_cast<std::uintptr_t>(address));
  text.add(": ").add(what).add("; stopping\n");
  text.write(2);
  system::stop();
}

void remember_freed(void* memory) {
  if (!hardened) return;
  const unsigned at = remembered_next.add_relaxed(1U);
  remembered[at % remembered_count].store_relaxed(memory);
}

void check_not_freed(void* memory) {
  if (!hardened) return;
  for (const Atomic<void*>& one : remembered) {
    if (one.load_relaxed() == memory) die("freed twice", memory);
  }
}

}  // namespace homenode::heap
