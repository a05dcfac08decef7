// What the sampler writes to the sample file beside samples: each window as a `round`, and at the
// end, or where it cannot work, a `pkeys` document. Serves the sampler by protection keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/pkeys/cost.h"
#include "agent/pkeys/opening.h"
#include "agent/sample_output.h"

namespace homenode::agent::pkeys {

struct Account {
  const char* file = nullptr;
  std::uint64_t samples = 0;
  std::uint64_t results[static_cast<std::size_t>(Opened::count)] = {};
};

void write_round(SampleOutput& output, const Window& window, const Run& run);
void write_refusal(SampleOutput& output, const char* why, long pid);
void write_account(SampleOutput& output, const Account& account, const Cost& cost,
                   std::uint64_t lost);

}  // namespace homenode::agent::pkeys
