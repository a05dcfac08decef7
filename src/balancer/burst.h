// A short recording of which thread uses which page of a process, by the best source of samples
// that works for it, read back as values. Serves the loop.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sample.h"
#include "machine/machine.h"
#include "os/pace.h"
#include "sensing/sources/sample_documents.h"

namespace homenode::balancer {

class InnerSamples;

struct Burst {
  std::string source;  ///< Empty where none works here.
  std::string misses;  ///< What the source cannot see.
  std::vector<Sample> samples;
  sensing::Refusals refused;  ///< Sources that see more and do not work here, and why.
  double cost_share = 0;      ///< What it took, over the processor time of the process.
};

struct BurstRequest {
  pid_t pid = 0;
  std::string source;             ///< Its name, or "auto": the best that works.
  InnerSamples* inner = nullptr;  ///< Of a program that samples itself, as long as it can.
  std::chrono::nanoseconds longest{};
  double overhead = 0.1;  ///< The most that it may cost while it lasts.
  std::string scratch;    ///< A file that is written and removed.
};

/// Samples a process that runs, or takes what it has sampled of itself since the last time. Unless
/// they are named, sources that need the program's help, or change the system, are not taken. A
/// process that ends meanwhile gives what was seen of it. Errors: failed when the scratch file
/// cannot be written or read; those of the source.
Result<Burst> sample_burst(os::Os& os, const machine::Machine& machine, const BurstRequest& request,
                           const os::Pace& pace);

/// The samples of a sample file; other blocks are skipped, and a last one that is not whole.
/// Errors: failed where it is no sample file. Pure.
Result<std::vector<Sample>> samples_in(std::string_view file);

/// Why processes were not sampled, or not to their end, by documents of the file; as above.
std::map<pid_t, std::string> refusals_in(std::string_view file);

}  // namespace homenode::balancer
