// What compilers call to get and free the memory of an exception, by the names of the C++ ABI
// (Itanium, section 2.4.2). With them here, the linker leaves libstdc++'s own out of the shared
// library, and with them the pool that is filled when a program starts.
#include <cstdlib>
#include <exception>

#include "capi/exception_memory.h"

namespace {

constinit homenode::capi::ExceptionMemory memory;

/// The runtime keeps its account of an exception right before it: 128 bytes with libstdc++ on
/// 64-bit machines. What lies before that is nobody's.
constexpr std::size_t header_bytes = 256;
static_assert(header_bytes % alignof(std::max_align_t) == 0);

void* take(std::size_t bytes) {
  void* const block = memory.take(bytes, &std::malloc);
  if (block == nullptr) std::terminate();  // As the ABI wants it.
  return block;
}

void give_back(void* block) {
  if (!memory.give_back(block)) std::free(block);
}

}  // namespace

// The names are the ABI's, and the version script keeps them inside the library.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

void* __cxa_allocate_exception(std::size_t bytes) noexcept {
  return static_cast<unsigned char*>(take(header_bytes + bytes)) + header_bytes;
}

void __cxa_free_exception(void* exception) noexcept {
  give_back(static_cast<unsigned char*>(exception) - header_bytes);
}

/// What std::rethrow_exception() throws: an account alone, of the same size.
void* __cxa_allocate_dependent_exception() noexcept {
  return take(header_bytes);
}

void __cxa_free_dependent_exception(void* exception) noexcept {
  give_back(exception);
}
}
// NOLINTEND(bugprone-reserved-identifier)
