// What streams.cpp defines, once for each extension of the instruction set that it is compiled for.
// Without any inline function: the linker could keep the copy that was compiled for the widest
// extension, and run it on a CPU without.
#pragma once

#include <cstddef>

// Macros, because the name of the extension comes from the build.
#define HN_FORMS_OF(isa) forms_##isa
#define HN_FORMS(isa) HN_FORMS_OF(isa)

namespace homenode::workloads::probe {

/// In the order of the tables in kernels.cpp.
enum class Kernel { read, write, write_nt, copy, scale, add, triad, sum };
inline constexpr std::size_t kernel_count = 8;

/// Elements of a slice come in blocks of this many.
inline constexpr std::size_t block_elements = 64;
/// Every array and every part of it starts at a multiple of so many: a cache line.
inline constexpr std::size_t line_elements = 8;

/// A part of the arrays that a kernel walks once. What a kernel does not need is not looked at.
/// pre: aligned to line_elements * 8 bytes, count a multiple of block_elements.
struct Slice {
  double* target = nullptr;
  const double* source = nullptr;
  const double* second = nullptr;
  std::size_t count = 0;
  const double* third = nullptr;
};

/// Walks a slice. The value depends on what was read, so that no load can be left out.
using StreamKernel = double (*)(const Slice& slice);

/// One way to compute a kernel with one extension of the instruction set. Which is fastest depends
/// on the CPU, on how many work at the same time and on the pages, so that it has to be tried.
struct Form {
  Kernel kernel = Kernel::read;
  StreamKernel run = nullptr;
  std::size_t vectors = 1;      ///< Computed in one round of its loop.
  bool past_caches = false;     ///< Its stores are non-temporal: no line is read to be written.
  std::size_t ahead_bytes = 0;  ///< How far ahead of the loads lines are prefetched; 0: not.
};

/// The forms of all kernels, kernel by kernel, each with its plainest first; the last has no run.
extern const Form forms_avx512[];
extern const Form forms_avx2[];
extern const Form forms_sse2[];
extern const Form forms_generic[];

}  // namespace homenode::workloads::probe
