// libhomenode-sites.so: preloaded into a program that is sampled, it stands before the allocator,
// whichever that is, and before mmap, calls them, and records which memory they gave to whom.
// Serves the sample file's allocations. C++'s operator new and Fortran's allocate come through
// malloc; the call stack names them.
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "agent/calls.h"
#include "agent/sites/events.h"
#include "agent/sites/recorder.h"
#include "base/raw_call.h"
#include "base/sample.h"

namespace homenode::agent {
namespace {

constinit decltype(&malloc) real_malloc = nullptr;
constinit decltype(&calloc) real_calloc = nullptr;
constinit decltype(&realloc) real_realloc = nullptr;
using Reallocarray = void*(void*, std::size_t, std::size_t);
constinit Reallocarray* real_reallocarray = nullptr;
constinit decltype(&free) real_free = nullptr;
using AlignedAllocation = void*(std::size_t, std::size_t);
constinit AlignedAllocation* real_aligned_alloc = nullptr;
constinit AlignedAllocation* real_memalign = nullptr;
constinit decltype(&posix_memalign) real_posix_memalign = nullptr;
using PageAllocation = void*(std::size_t);
constinit PageAllocation* real_valloc = nullptr;
constinit PageAllocation* real_pvalloc = nullptr;
using UsableSize = std::size_t(void*);
constinit UsableSize* real_usable_size = nullptr;
constinit bool has_usable_size = false;
using Mmap = void*(void*, std::size_t, int, int, int, off_t);
constinit Mmap* real_mmap = nullptr;
constinit decltype(&munmap) real_munmap = nullptr;
using Mremap = void*(void*, std::size_t, std::size_t, int, void*);
constinit Mremap* real_mremap = nullptr;
using Prctl = int(int, unsigned long, unsigned long, unsigned long, unsigned long);
constinit Prctl* real_prctl = nullptr;

/// dlsym first frees the text of an earlier error, by the very free() that is being looked up. That
/// block is left to the end of the process.
constinit thread_local bool looks_up_free = false;

decltype(&free) find_free() {
  if (real_free != nullptr || looks_up_free) return real_free;
  looks_up_free = true;
  following(real_free, "free");
  looks_up_free = false;
  return real_free;
}

/// An allocator that does not tell its blocks' sizes must not be asked through another's function.
/// Then what is freed stays recorded until its memory is given again.
[[gnu::constructor]] void find_sizes() {
  Dl_info of_free{};
  Dl_info of_size{};
  find_free();
  following(real_usable_size, "malloc_usable_size");
  has_usable_size = real_usable_size != nullptr &&
                    dladdr(reinterpret_cast<void*>(real_free), &of_free) != 0 &&
                    dladdr(reinterpret_cast<void*>(real_usable_size), &of_size) != 0 &&
                    of_free.dli_fbase == of_size.dli_fbase;
}

/// Whether a block that is given back may have been recorded.
bool matters(void* memory) {
  return memory != nullptr && has_usable_size && is_recording() &&
         real_usable_size(memory) >= least_bytes_recorded;
}

void* allocated(Function function, void* memory, std::size_t bytes, const void* caller) {
  if (bytes >= least_bytes) {
    record_allocated({function, reinterpret_cast<std::uintptr_t>(caller)}, memory, bytes);
  }
  return memory;
}

/// Around a realloc: the old block ends before the new one is given.
template <class Real>
void* reallocated(Function function, void* old, std::size_t bytes, const void* caller, Real real) {
  const bool ends = matters(old);
  const std::uint64_t before_ns = ends ? now_ns() : 0;
  void* const memory = real();
  if (ends && (memory != nullptr || bytes == 0)) record_freed(old, before_ns);
  return allocated(function, memory, bytes, caller);
}

/// Files are named by themselves; what they are laid over is gone.
void* mapped(Function function, void* memory, std::size_t bytes, int flags, std::uint64_t before_ns,
             const void* caller) {
  if (memory == MAP_FAILED) return memory;
  if ((flags & MAP_ANONYMOUS) != 0) {
    record_mapped({function, reinterpret_cast<std::uintptr_t>(caller)}, memory, bytes);
  } else if ((flags & MAP_FIXED) != 0 && is_recording()) {
    record_unmapped(memory, bytes, before_ns);
  }
  return memory;
}

/// Of the names that memory is given, those of our library's regions.
void record_name_of_region(const char* name, std::uintptr_t address, std::size_t bytes) {
  constexpr std::size_t length = sizeof region_prefix - 1;
  if (std::strncmp(name, region_prefix, length) == 0) record_name(name + length, address, bytes);
}

}  // namespace
}  // namespace homenode::agent

using namespace homenode::agent;

#pragma GCC visibility push(default)
extern "C" {

void* malloc(std::size_t bytes) {
  return allocated(Function::malloc, following(real_malloc, "malloc")(bytes), bytes,
                   __builtin_return_address(0));
}

void* calloc(std::size_t count, std::size_t bytes) {
  // The product does not wrap around where calloc succeeds.
  return allocated(Function::calloc, following(real_calloc, "calloc")(count, bytes), count * bytes,
                   __builtin_return_address(0));
}

void* realloc(void* memory, std::size_t bytes) {
  return reallocated(Function::realloc, memory, bytes, __builtin_return_address(0),
                     [&] { return following(real_realloc, "realloc")(memory, bytes); });
}

void* reallocarray(void* memory, std::size_t count, std::size_t bytes) {
  return reallocated(
      Function::reallocarray, memory, count * bytes, __builtin_return_address(0),
      [&] { return following(real_reallocarray, "reallocarray")(memory, count, bytes); });
}

void free(void* memory) {
  if (matters(memory)) record_freed(memory, now_ns());
  if (auto* const next = find_free()) next(memory);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocated(Function::aligned_alloc,
                   following(real_aligned_alloc, "aligned_alloc")(alignment, bytes), bytes,
                   __builtin_return_address(0));
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  return allocated(Function::memalign, following(real_memalign, "memalign")(alignment, bytes),
                   bytes, __builtin_return_address(0));
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  const int result = following(real_posix_memalign, "posix_memalign")(memory, alignment, bytes);
  if (result == 0) {
    (void)allocated(Function::posix_memalign, *memory, bytes, __builtin_return_address(0));
  }
  return result;
}

void* valloc(std::size_t bytes) {
  return allocated(Function::valloc, following(real_valloc, "valloc")(bytes), bytes,
                   __builtin_return_address(0));
}

void* pvalloc(std::size_t bytes) {
  return allocated(Function::pvalloc, following(real_pvalloc, "pvalloc")(bytes), bytes,
                   __builtin_return_address(0));
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  const std::uint64_t before_ns = (flags & MAP_FIXED) != 0 ? now_ns() : 0;
  void* const memory =
      following(real_mmap, "mmap")(address, bytes, protection, flags, file, offset);
  return mapped(Function::mmap, memory, bytes, flags, before_ns, __builtin_return_address(0));
}

void* mmap64(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  const std::uint64_t before_ns = (flags & MAP_FIXED) != 0 ? now_ns() : 0;
  void* const memory =
      following(real_mmap, "mmap")(address, bytes, protection, flags, file, offset);
  return mapped(Function::mmap, memory, bytes, flags, before_ns, __builtin_return_address(0));
}

int munmap(void* address, std::size_t bytes) {
  const std::uint64_t before_ns = is_recording() ? now_ns() : 0;
  const int result = following(real_munmap, "munmap")(address, bytes);
  if (result == 0) record_unmapped(address, bytes, before_ns);
  return result;
}

/// A program names memory whether the kernel can keep the name or not.
int prctl(int option, ...) {
  std::va_list rest;
  va_start(rest, option);
  unsigned long words[4];
  for (unsigned long& word : words) word = va_arg(rest, unsigned long);
  va_end(rest);
  if (option == homenode::set_vma && words[0] == 0 && words[3] != 0) {
    record_name_of_region(reinterpret_cast<const char*>(words[3]), words[1], words[2]);
  }
  return following(real_prctl, "prctl")(option, words[0], words[1], words[2], words[3]);
}

void* mremap(void* address, std::size_t bytes, std::size_t wanted, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  void* const place = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  const std::uint64_t before_ns = is_recording() ? now_ns() : 0;
  void* const memory = following(real_mremap, "mremap")(address, bytes, wanted, flags, place);
  if (memory == MAP_FAILED) return memory;
  record_unmapped(address, bytes, before_ns);
  return mapped(Function::mremap, memory, wanted, MAP_ANONYMOUS, before_ns,
                __builtin_return_address(0));
}
}
#pragma GCC visibility pop
