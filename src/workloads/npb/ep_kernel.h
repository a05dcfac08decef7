// EP's inner part: pairs of Gaussian deviates by Marsaglia's polar method, tallied.
#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/program/isa.h"

namespace homenode::workloads::npb {

inline constexpr int ep_annuli = 10;

/// What some pairs add up to.
struct EpTally {
  double sum_x = 0.0;  ///< Of the deviates as they are, as NPB up to 3.4.1 checks them,
  double sum_y = 0.0;
  double absolute_x = 0.0;  ///< and of their sizes, as NPB 3.4.2 does.
  double absolute_y = 0.0;
  std::uint64_t pairs[ep_annuli] = {};  ///< By the integer part of the larger deviate's size.
};

/// 2^m pairs, each tally[i] an equal, consecutive share of them.
struct EpJob {
  unsigned log2_pairs = 0;
  EpTally* tallies = nullptr;
  std::size_t tally_count = 0;  ///< A power of two, of at most 2^(m - 9).
  unsigned threads = 1;
};

struct EpKernel {
  void (*tally_all)(const EpJob& job);
};

HN_KERNELS(EpKernel, ep_kernel)

}  // namespace homenode::workloads::npb
