// What streams.cpp defines, once for each extension of the instruction set that it is compiled for.
// Without any inline function: the linker could keep the copy that was compiled for the widest
// extension, and run it on a CPU without.
#pragma once

#include <cstddef>

// Macros, because the name of the extension comes from the build.
#define HN_STREAMS_OF(isa) streams_##isa
#define HN_STREAMS(isa) HN_STREAMS_OF(isa)

namespace homenode::workloads::probe {

/// Elements of a slice come in blocks of this many, and every array starts at a multiple of it.
inline constexpr std::size_t block_elements = 64;

/// A part of the arrays that a kernel walks once. What a kernel does not need is not looked at.
/// pre: aligned to block_elements * 8 bytes, count a multiple of block_elements.
struct Slice {
  double* target = nullptr;
  const double* source = nullptr;
  const double* second = nullptr;
  std::size_t count = 0;
};

/// Walks a slice. The value depends on what was read, so that no load can be left out.
using StreamKernel = double (*)(const Slice& slice);

/// In the order of the enumeration Kernel; those that this build has not are not defined.
extern const StreamKernel streams_avx512[];
extern const StreamKernel streams_avx2[];
extern const StreamKernel streams_sse2[];
extern const StreamKernel streams_generic[];

}  // namespace homenode::workloads::probe
