// One-dimensional Fourier transforms of several lines at a time, for ft_kernel.cpp.
#pragma once

#include <cstddef>

namespace homenode::workloads::npb::HN_ISA {

/// Lines that are transformed together. Element i of line l is number i * ft_lines + l, real and
/// imaginary parts apart, so that every step works on consecutive numbers.
inline constexpr std::size_t ft_lines = 8;

struct Bunch {
  double* real;
  double* imaginary;
};

/// exp(-2 pi i k / length) for k below length.
struct Roots {
  const double* real;
  const double* imaginary;
  std::size_t length;
};

/// Transforms `from`, which is used up; gives the one of the two that holds the result, in natural
/// order. pre: n >= 2 is a power of two, roots.length a multiple of n. With real and imaginary
/// parts in each other's place, in and out, this is the inverse without its factor 1/n.
Bunch transform(Bunch from, Bunch other, std::size_t n, const Roots& roots);

}  // namespace homenode::workloads::npb::HN_ISA
