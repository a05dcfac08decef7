// C++'s operators new and delete, in every form, without the C++ library. When there is no memory,
// the C++ library's own operator takes over: it calls malloc, fails too, and then does what the
// language asks for with the handler and the exception.
//
// The one file of the allocator that is compiled with exceptions: a handler may throw under a form
// of new that must not. What catching needs of the C++ library is asked for weakly, so that a
// program without that library links and runs; it has no handler either.
#include <dlfcn.h>

#include <cstddef>

#include "heap/blocks.h"

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the C++ ABI's.
extern "C" {
using NewHandler = void();
[[gnu::weak]] NewHandler* _ZSt15get_new_handlerv();       // std::get_new_handler
[[noreturn, gnu::weak]] void _ZSt17__throw_bad_allocv();  // std::__throw_bad_alloc
}

__asm__(
    ".weak __gxx_personality_v0\n"
    ".weak __cxa_begin_catch\n"
    ".weak __cxa_end_catch\n"
    ".weak _Unwind_Resume\n");

namespace {

using namespace homenode::heap;

/// Calls the handler that a program has set for when memory ends. False when it left by an
/// exception, which ends here: for the forms of new that do not throw.
bool returns(NewHandler* handler) {
  try {
    handler();
  } catch (...) {
    return false;
  }
  return true;
}

/// Without another operator, in a static program, what the language asks for is done here, with
/// what the C++ library has for it.
void* try_again(std::size_t bytes, std::size_t alignment, bool throws) {
  while (&_ZSt15get_new_handlerv != nullptr) {
    NewHandler* const handler = _ZSt15get_new_handlerv();
    if (handler == nullptr) break;
    if (throws) {
      handler();
    } else if (!returns(handler)) {
      break;
    }
    if (void* const memory = allocate_aligned(bytes, alignment); memory != nullptr) return memory;
  }
  if (!throws) return nullptr;
  if (&_ZSt17__throw_bad_allocv != nullptr) _ZSt17__throw_bad_allocv();
  die("operator new: out of memory, and no C++ library to throw bad_alloc", nullptr);
}

template <class... Arguments>
void* hand_on(const char* name, std::size_t alignment, bool throws, std::size_t bytes,
              Arguments... arguments) {
  using New = void*(std::size_t, Arguments...);
  auto* const theirs = reinterpret_cast<New*>(dlsym(RTLD_NEXT, name));
  return theirs != nullptr ? theirs(bytes, arguments...) : try_again(bytes, alignment, throws);
}

/// When no block is at hand.
[[gnu::noinline]] void* look_for(const char* name, std::size_t bytes) {
  void* const memory = allocate(bytes);
  return memory != nullptr ? memory : hand_on(name, granule_bytes, true, bytes);
}

}  // namespace

// The operators by their names in the C++ ABI: declared as what they are, the compiler would take
// them to throw or not to fail, and to need the C++ library's types.
#define HN_EXPORT [[gnu::visibility("default")]]
extern "C" {

HN_EXPORT void* _Znwm(std::size_t bytes) {
  void* const memory = take_at_hand(self, bytes);
  return memory != nullptr ? memory : look_for("_Znwm", bytes);
}
HN_EXPORT void* _Znam(std::size_t bytes) {
  void* const memory = take_at_hand(self, bytes);
  return memory != nullptr ? memory : look_for("_Znam", bytes);
}
HN_EXPORT void* _ZnwmRKSt9nothrow_t(std::size_t bytes, const void* tag) {
  void* const memory = allocate(bytes);
  if (memory != nullptr) return memory;
  return hand_on("_ZnwmRKSt9nothrow_t", granule_bytes, false, bytes, tag);
}
HN_EXPORT void* _ZnamRKSt9nothrow_t(std::size_t bytes, const void* tag) {
  void* const memory = allocate(bytes);
  if (memory != nullptr) return memory;
  return hand_on("_ZnamRKSt9nothrow_t", granule_bytes, false, bytes, tag);
}
HN_EXPORT void* _ZnwmSt11align_val_t(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate_aligned(bytes, alignment);
  if (memory != nullptr) return memory;
  return hand_on("_ZnwmSt11align_val_t", alignment, true, bytes, alignment);
}
HN_EXPORT void* _ZnamSt11align_val_t(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate_aligned(bytes, alignment);
  if (memory != nullptr) return memory;
  return hand_on("_ZnamSt11align_val_t", alignment, true, bytes, alignment);
}
HN_EXPORT void* _ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::size_t alignment,
                                                   const void* tag) {
  void* const memory = allocate_aligned(bytes, alignment);
  if (memory != nullptr) return memory;
  return hand_on("_ZnwmSt11align_val_tRKSt9nothrow_t", alignment, false, bytes, alignment, tag);
}
HN_EXPORT void* _ZnamSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::size_t alignment,
                                                   const void* tag) {
  void* const memory = allocate_aligned(bytes, alignment);
  if (memory != nullptr) return memory;
  return hand_on("_ZnamSt11align_val_tRKSt9nothrow_t", alignment, false, bytes, alignment, tag);
}

HN_EXPORT void _ZdlPv(void* memory) {
  release(memory);
}
HN_EXPORT void _ZdaPv(void* memory) {
  release(memory);
}
HN_EXPORT void _ZdlPvm(void* memory, std::size_t /*bytes*/) {
  release(memory);
}
HN_EXPORT void _ZdaPvm(void* memory, std::size_t /*bytes*/) {
  release(memory);
}
HN_EXPORT void _ZdlPvRKSt9nothrow_t(void* memory, const void* /*tag*/) {
  release(memory);
}
HN_EXPORT void _ZdaPvRKSt9nothrow_t(void* memory, const void* /*tag*/) {
  release(memory);
}
HN_EXPORT void _ZdlPvSt11align_val_t(void* memory, std::size_t /*a*/) {
  release(memory);
}
HN_EXPORT void _ZdaPvSt11align_val_t(void* memory, std::size_t /*a*/) {
  release(memory);
}
HN_EXPORT void _ZdlPvmSt11align_val_t(void* memory, std::size_t /*b*/, std::size_t /*a*/) {
  release(memory);
}
HN_EXPORT void _ZdaPvmSt11align_val_t(void* memory, std::size_t /*b*/, std::size_t /*a*/) {
  release(memory);
}
HN_EXPORT void _ZdlPvSt11align_val_tRKSt9nothrow_t(void* memory, std::size_t /*a*/,
                                                   const void* /*tag*/) {
  release(memory);
}
HN_EXPORT void _ZdaPvSt11align_val_tRKSt9nothrow_t(void* memory, std::size_t /*a*/,
                                                   const void* /*tag*/) {
  release(memory);
}
}
// NOLINTEND(bugprone-reserved-identifier)
