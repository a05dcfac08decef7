// The code of the sampler that may make system calls while those of the program are dispatched to
// it (Syscall User Dispatch lets one range of code through), and the rights of the calling thread
// to protection keys. Serves the sampler by protection keys; x86-64 alone has both.
#pragma once

#include <sys/syscall.h>  // The numbers that kernel_call() takes.

#include <cstddef>
#include <cstdint>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming,bugprone-dynamic-static-initializers): labels of the
// assembly.
/// All that may make system calls at any time: first byte and the byte behind the last.
extern const char hn_pkeys_first[];
extern const char hn_pkeys_end[];
/// A system call from there: 0 or more, or -errno. Touches nothing but registers.
long hn_pkeys_call(long number, long a, long b, long c, long d, long e, long f);
/// What signal handlers return to: rt_sigreturn.
void hn_pkeys_restore();
/// Goes on with the system call that was dispatched, and then with the program: see Passage.
void hn_pkeys_pass();
/// Where the kernel is while hn_pkeys_pass waits in it.
extern const char hn_pkeys_passing[];
/// Code that never runs: the critical section of threads that are waited for.
extern const char hn_pkeys_never[];
// NOLINTEND(readability-identifier-naming,bugprone-dynamic-static-initializers)
}

namespace homenode::agent::pkeys {

/// What hn_pkeys_pass finds at its stack pointer, below the red zone of the program.
struct Passage {
  std::uint64_t rights;  ///< Of the program to protection keys.
  std::uint64_t rdx;     ///< Room for two registers.
  std::uint64_t rax;
  std::uint64_t next;  ///< The instruction behind the program's system call.
};
inline constexpr std::size_t red_zone_bytes = 128;
static_assert(sizeof(Passage) + red_zone_bytes == 160, "entry.cpp says so in its assembly");

template <class... Arguments>
long kernel_call(long number, Arguments... arguments) {
  long all[6] = {};
  std::size_t count = 0;
  ((all[count++] = (long)arguments), ...);  // NOLINT: pointers and numbers alike.
  return hn_pkeys_call(number, all[0], all[1], all[2], all[3], all[4], all[5]);
}

/// Whether a system call that gives an address has given -errno.
constexpr bool is_error(long result) {
  constexpr long largest_errno = 4095;
  return result < 0 && result >= -largest_errno;
}

inline constexpr std::uintptr_t page_bytes = 4096;  // x86-64's.

/// Two bits for each key: no access, no writing.
inline constexpr std::uint32_t all_rights = 0;
/// What the kernel gives signal handlers, and the sampler all threads: key 0 alone.
inline constexpr std::uint32_t denied_rights = 0x55555554;

/// `keys`: a bit for each key that is allowed too.
inline std::uint32_t with_keys(std::uint32_t rights, std::uint32_t keys) {
  for (unsigned key = 0; key < 16; ++key) {
    if ((keys >> key & 1U) != 0) rights &= ~(std::uint32_t{3} << (2U * key));
  }
  return rights;
}

/// Of the calling thread; pre: the kernel has switched protection keys on.
inline void set_rights(std::uint32_t rights) {
  asm volatile(".byte 0x0f,0x01,0xef" : : "a"(rights), "c"(0), "d"(0) : "memory");
}

inline std::uint32_t own_rights() {
  std::uint32_t rights = 0;
  std::uint32_t other = 0;
  asm volatile(".byte 0x0f,0x01,0xee" : "=a"(rights), "=d"(other) : "c"(0));
  return rights;
}

}  // namespace homenode::agent::pkeys
