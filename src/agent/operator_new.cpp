// C++'s operator new, before the C++ library's: it asks malloc from within that library, so what
// called it would be lost. Each form notes its caller for malloc and calls the real one. Serves
// from= of --place, and allocations.cpp.
#include "agent/operator_new.h"

#include <dlfcn.h>

#include <cstdlib>

namespace homenode::agent {
namespace {

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

}  // namespace

const void* take_caller_of_new() {
  const void* const caller = noted_caller;
  noted_caller = nullptr;
  return caller;
}

}  // namespace homenode::agent

using namespace homenode::agent;

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
