// dlopen() of a program that the library is loaded into.
#include <dlfcn.h>

#include "heap/process.h"

/// A library that is opened with RTLD_DEEPBIND sees libc's malloc before ours, and then frees our
/// blocks with it. So the flag is dropped, unless HOMENODE_MALLOC_DEEPBIND=1 asks to keep it. The
/// call is the last thing here and becomes a jump: libc looks at who called, for the caller's own
/// search path.
extern "C" [[gnu::visibility("default")]] void* dlopen(const char* file, int mode) {
  using Open = void*(const char*, int);
  static constinit Open* libc_dlopen = nullptr;
  if (libc_dlopen == nullptr) libc_dlopen = reinterpret_cast<Open*>(dlsym(RTLD_NEXT, "dlopen"));
  if (!homenode::heap::settings().keep_deepbind) mode &= ~RTLD_DEEPBIND;
  return libc_dlopen(file, mode);
}
