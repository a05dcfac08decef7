#include "workloads/npb/ft_line.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

/// A factor of the step that follows.
struct Root {
  double real;
  double imaginary;
};

inline Root root_at(const Roots& roots, std::size_t k) {
  return {roots.real[k], roots.imaginary[k]};
}

/// `count` consecutive numbers of four inputs, a quarter of the transform apart, to four outputs.
inline void butterfly(Bunch from, std::size_t quarter, Bunch to, std::size_t count, Root one,
                      Root two, Root three) {
  const double* const a_real = from.real;
  const double* const b_real = a_real + quarter;
  const double* const c_real = b_real + quarter;
  const double* const d_real = c_real + quarter;
  const double* const a_imaginary = from.imaginary;
  const double* const b_imaginary = a_imaginary + quarter;
  const double* const c_imaginary = b_imaginary + quarter;
  const double* const d_imaginary = c_imaginary + quarter;
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const double ac_real = a_real[i] + c_real[i];
    const double ac_imaginary = a_imaginary[i] + c_imaginary[i];
    const double a_c_real = a_real[i] - c_real[i];
    const double a_c_imaginary = a_imaginary[i] - c_imaginary[i];
    const double bd_real = b_real[i] + d_real[i];
    const double bd_imaginary = b_imaginary[i] + d_imaginary[i];
    const double turned_real = d_imaginary[i] - b_imaginary[i];  // i (b - d)
    const double turned_imaginary = b_real[i] - d_real[i];
    const double x1_real = a_c_real - turned_real;
    const double x1_imaginary = a_c_imaginary - turned_imaginary;
    const double x2_real = ac_real - bd_real;
    const double x2_imaginary = ac_imaginary - bd_imaginary;
    const double x3_real = a_c_real + turned_real;
    const double x3_imaginary = a_c_imaginary + turned_imaginary;
    to.real[i] = ac_real + bd_real;
    to.imaginary[i] = ac_imaginary + bd_imaginary;
    to.real[count + i] = one.real * x1_real - one.imaginary * x1_imaginary;
    to.imaginary[count + i] = one.real * x1_imaginary + one.imaginary * x1_real;
    to.real[2 * count + i] = two.real * x2_real - two.imaginary * x2_imaginary;
    to.imaginary[2 * count + i] = two.real * x2_imaginary + two.imaginary * x2_real;
    to.real[3 * count + i] = three.real * x3_real - three.imaginary * x3_imaginary;
    to.imaginary[3 * count + i] = three.real * x3_imaginary + three.imaginary * x3_real;
  }
}

/// The last step of lengths that are no power of four: halves, without factors.
inline void halve(Bunch from, Bunch to, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const double real = from.real[i];
    const double imaginary = from.imaginary[i];
    to.real[i] = real + from.real[count + i];
    to.imaginary[i] = imaginary + from.imaginary[count + i];
    to.real[count + i] = real - from.real[count + i];
    to.imaginary[count + i] = imaginary - from.imaginary[count + i];
  }
}

}  // namespace

// Stockham's order: what belongs together moves together, so no bits are reversed, and after each
// step four times as many consecutive numbers share a factor.
Bunch transform(Bunch from, Bunch other, std::size_t n, const Roots& roots) {
  const std::size_t numbers = n * ft_lines;
  std::size_t count = ft_lines;
  std::size_t length = n;
  while (length > 2) {
    const std::size_t stride = roots.length / length;
    for (std::size_t p = 0; p < length / 4; ++p) {
      const std::size_t k = p * stride;
      const Bunch source{from.real + p * count, from.imaginary + p * count};
      const Bunch target{other.real + 4 * p * count, other.imaginary + 4 * p * count};
      butterfly(source, numbers / 4, target, count, root_at(roots, k), root_at(roots, 2 * k),
                root_at(roots, 3 * k));
    }
    const Bunch used = from;
    from = other;
    other = used;
    length /= 4;
    count *= 4;
  }
  if (length == 1) return from;
  halve(from, other, count);
  return other;
}

}  // namespace homenode::workloads::npb::HN_ISA
