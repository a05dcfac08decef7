// What the sampler writes to the sample file beside samples: each window as a `round`, and at the
// end, or where it cannot work, a `pkeys` document. Serves the sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/pkeys/cost.h"
#include "agent/pkeys/opening.h"
#include "agent/sample_output.h"

namespace homenode::agent::pkeys {

/// What the sampler did in one process.
struct Account {
  const char* file = nullptr;
  std::uint64_t samples = 0;
  /// How often windows were opened, or were not and why.
  std::uint64_t results[static_cast<std::size_t>(Opened::count)] = {};
};

/// pre: the window is closed.
void write_round(SampleOutput& output, const Window& window, const Run& run);
/// Says that the process is not sampled, or not to its end.
void write_refusal(SampleOutput& output, const char* why, long pid);
/// At the end; `lost` samples found no place in the ring.
void write_account(SampleOutput& output, const Account& account, const Cost& cost,
                   std::uint64_t lost);

}  // namespace homenode::agent::pkeys
