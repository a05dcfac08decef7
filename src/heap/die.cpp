#include <sys/auxv.h>

#include <cstring>

#include "heap/hardening.h"
#include "heap/text.h"

namespace homenode::heap {

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

}  // namespace homenode::heap
