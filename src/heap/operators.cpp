// C++'s operators new and delete, in every form, without the C++ library. When there is no memory,
// the C++ library's own operator takes over: it calls malloc, fails too, and then does what the
// language asks for with the handler and the exception.
#include <dlfcn.h>

#include <cstddef>

#include "heap/blocks.h"

namespace {

using namespace homenode::heap;

template <class... Arguments>
void* hand_on(const char* name, Arguments... arguments) {
  using New = void*(Arguments...);
  auto* const theirs = reinterpret_cast<New*>(dlsym(RTLD_NEXT, name));
  if (theirs == nullptr) die("operator new: no memory, and no C++ library to say so", nullptr);
  return theirs(arguments...);
}

}  // namespace

// The operators by their names in the C++ ABI: declared as what they are, the compiler would take
// them to throw or not to fail, and to need the C++ library's types.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define HN_EXPORT [[gnu::visibility("default")]]
extern "C" {

HN_EXPORT void* _Znwm(std::size_t bytes) {
  void* const memory = allocate(bytes);
  return memory != nullptr ? memory : hand_on<std::size_t>("_Znwm", bytes);
}
HN_EXPORT void* _Znam(std::size_t bytes) {
  void* const memory = allocate(bytes);
  return memory != nullptr ? memory : hand_on<std::size_t>("_Znam", bytes);
}
HN_EXPORT void* _ZnwmRKSt9nothrow_t(std::size_t bytes, const void* tag) {
  void* const memory = allocate(bytes);
  if (memory != nullptr) return memory;
  return hand_on<std::size_t, const void*>("_ZnwmRKSt9nothrow_t", bytes, tag);
}
HN_EXPORT void* _ZnamRKSt9nothrow_t(std::size_t bytes, const void* tag) {
  void* const memory = allocate(bytes);
  if (memory != nullptr) return memory;
  return hand_on<std::size_t, const void*>("_ZnamRKSt9nothrow_t", bytes, tag);
}
HN_EXPORT void* _ZnwmSt11align_val_t(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate_aligned(bytes, alignment);
  if (memory != nullptr) return memory;
  return hand_on<std::size_t, std::size_t>("_ZnwmSt11align_val_t", bytes, alignment);
}
HN_EXPORT void* _ZnamSt11align_val_t(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate_aligned(bytes, alignment);
  if (memory != nullptr) return memory;
  return hand_on<std::size_t, std::size_t>("_ZnamSt11align_val_t", bytes, alignment);
}
HN_EXPORT void* _ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::size_t alignment,
                                                   const void* tag) {
  void* const memory = allocate_aligned(bytes, alignment);
  if (memory != nullptr) return memory;
  return hand_on<std::size_t, std::size_t, const void*>("_ZnwmSt11align_val_tRKSt9nothrow_t", bytes,
                                                        alignment, tag);
}
HN_EXPORT void* _ZnamSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::size_t alignment,
                                                   const void* tag) {
  void* const memory = allocate_aligned(bytes, alignment);
  if (memory != nullptr) return memory;
  return hand_on<std::size_t, std::size_t, const void*>("_ZnamSt11align_val_tRKSt9nothrow_t", bytes,
                                                        alignment, tag);
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
