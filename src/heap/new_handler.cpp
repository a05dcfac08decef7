// The one file of the allocator that is compiled with exceptions: a handler may throw under a form
// of new that must not. What catching needs of the C++ library is asked for weakly, so that a
// program without that library links and runs; it has no handler either.
#include "heap/new_handler.h"

__asm__(
    ".weak __gxx_personality_v0\n"
    ".weak __cxa_begin_catch\n"
    ".weak __cxa_end_catch\n"
    ".weak _Unwind_Resume\n");

namespace homenode::heap {

bool returns(void (*handler)()) {
  try {
    handler();
  } catch (...) {
    return false;
  }
  return true;
}

}  // namespace homenode::heap
