// FT's inner part: a three-dimensional Fourier transform, there once and back each step.
#pragma once

#include <cstddef>

#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

/// Cubes of nx * ny * nz complex numbers, real and imaginary parts in turn, x fastest.
struct FtJob {
  std::size_t nx = 0;
  std::size_t ny = 0;
  std::size_t nz = 0;
  double* spectrum = nullptr;  ///< Of the field at the present time.
  double* field = nullptr;
  double* factor = nullptr;  ///< What a step in time does to each number of the spectrum.
  /// exp(-2 pi i k / longest) for k below the longest side.
  const double* root_real = nullptr;
  const double* root_imaginary = nullptr;
  std::size_t longest = 0;
  /// A step's factor along each axis: their product is the factor.
  const double* factor_x = nullptr;
  const double* factor_y = nullptr;
  const double* factor_z = nullptr;
  double* scratch = nullptr;  ///< ft_scratch(longest) for each thread.
  unsigned threads = 1;
};

/// Doubles, for four parts of eight lines.
constexpr std::size_t ft_scratch(std::size_t longest) {
  return 4 * std::size_t{8} * longest;
}

struct FtKernel {
  /// The random field of the specification, its factors, and its spectrum.
  void (*begin)(const FtJob& job);
  /// One step on: spectrum *= factor, field = its inverse transform, not divided by its size.
  void (*step)(const FtJob& job);
};

HN_KERNELS(FtKernel, ft_kernel)

}  // namespace homenode::workloads::npb
