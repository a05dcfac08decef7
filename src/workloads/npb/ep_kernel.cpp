#include "workloads/npb/ep_kernel.h"

#include <math.h>

#include "workloads/npb/random.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

constexpr std::uint64_t ep_seed = 271828183;
constexpr std::size_t chunk = 512;  // Pairs worked on at a time: all buffers stay in the L1 cache.
constexpr std::size_t lanes = 16;   // Independent sequences, so that products do not wait.

/// One chunk on its way.
struct Buffers {
  double uniform[2 * chunk];  // In (-1, 1), x and y in turn,
  double x[chunk];            // apart,
  double y[chunk];
  std::int32_t annulus[chunk];  // and the annulus, or -1 where the pair is rejected.
};

/// A whole number below 2^52 as a double, without the instruction that AVX2 has not.
inline double to_double(std::uint64_t value) {
  return __builtin_bit_cast(double, value | 0x4330000000000000U) - 0x1p52;
}

/// The natural logarithm of a normal number, to some units in the last place: 2 artanh of
/// (m - 1) / (m + 1), where m is the mantissa brought to [sqrt(1/2), sqrt(2)).
inline double log_of(double value) {
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdU;
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, value) - sqrt_half;
  const std::uint64_t exponent = (bits >> 52U) ^ 0x800U;  // Offset by 2048, so not negative.
  const double mantissa = __builtin_bit_cast(double, (bits & 0xfffffffffffffU) + sqrt_half);
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double z = s * s;
  double series = 1.0 / 21;
  series = series * z + 1.0 / 19;
  series = series * z + 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  const double of_mantissa = 2.0 * s + 2.0 * s * z * series;
  // The exponent is in 12 bits, of which the highest stands for its sign.
  return (to_double(exponent) - 2048.0) * 0.6931471805599453 + of_mantissa;
}

/// The next 2 * chunk numbers. `state` holds the latest of each lane.
inline void fill_uniform(std::uint64_t* state, std::uint64_t leap, Buffers& buffers) {
  for (std::size_t i = 0; i < 2 * chunk; i += lanes) {
#pragma omp simd
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      buffers.uniform[i + lane] = to_double(state[lane]) * 0x1p-45 - 1.0;
      state[lane] = (state[lane] * leap) & random_mask;
    }
  }
}

/// Turns accepted pairs into deviates, and rejected ones into zeros, which add nothing.
inline void transform(Buffers& buffers, EpTally& tally) {
#pragma omp simd
  for (std::size_t i = 0; i < chunk; ++i) {
    buffers.x[i] = buffers.uniform[2 * i];
    buffers.y[i] = buffers.uniform[2 * i + 1];
  }
  double sum_x = 0.0;
  double sum_y = 0.0;
  double absolute_x = 0.0;
  double absolute_y = 0.0;
#pragma omp simd reduction(+ : sum_x, sum_y, absolute_x, absolute_y)
  for (std::size_t i = 0; i < chunk; ++i) {
    const double square = buffers.x[i] * buffers.x[i] + buffers.y[i] * buffers.y[i];
    const bool inside = square <= 1.0;
    const double safe = inside ? square : 0.5;
    const double factor = inside ? ::sqrt(-2.0 * log_of(safe) / safe) : 0.0;
    const double x = buffers.x[i] * factor;
    const double y = buffers.y[i] * factor;
    const double size_x = ::fabs(x);
    const double size_y = ::fabs(y);
    sum_x += x;
    sum_y += y;
    absolute_x += size_x;
    absolute_y += size_y;
    const double larger = size_x > size_y ? size_x : size_y;
    buffers.annulus[i] = static_cast<std::int32_t>(inside ? larger : -1.0);
  }
  tally.sum_x += sum_x;
  tally.sum_y += sum_y;
  tally.absolute_x += absolute_x;
  tally.absolute_y += absolute_y;
}

/// How many are in each annulus or further out; the caller takes the differences.
inline void count(const Buffers& buffers, std::uint64_t* at_least) {
  for (std::int32_t annulus = 0; annulus < ep_annuli; ++annulus) {
    std::int32_t found = 0;
#pragma omp simd reduction(+ : found)
    for (std::size_t i = 0; i < chunk; ++i) found += buffers.annulus[i] >= annulus ? 1 : 0;
    if (found == 0) break;
    at_least[annulus] += static_cast<std::uint64_t>(found);
  }
}

EpTally tally_share(std::uint64_t first_pair, std::uint64_t pairs) {
  alignas(64) Buffers buffers;
  alignas(64) std::uint64_t state[lanes];
  const std::uint64_t leap = random_power(lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    state[lane] = random_after(ep_seed, 2 * first_pair + lane + 1);
  }
  EpTally tally;
  std::uint64_t at_least[ep_annuli + 1] = {};
  for (std::uint64_t done = 0; done < pairs; done += chunk) {
    fill_uniform(state, leap, buffers);
    transform(buffers, tally);
    count(buffers, at_least);
  }
  for (int i = 0; i < ep_annuli; ++i) tally.pairs[i] = at_least[i] - at_least[i + 1];
  return tally;
}

void tally_all(const EpJob& job) {
  const std::uint64_t share = (std::uint64_t{1} << job.log2_pairs) / job.tally_count;
#pragma omp parallel for schedule(static) num_threads(job.threads)
  for (std::size_t i = 0; i < job.tally_count; ++i) job.tallies[i] = tally_share(i * share, share);
}

}  // namespace

constinit const EpKernel ep_kernel{tally_all};

}  // namespace homenode::workloads::npb::HN_ISA
