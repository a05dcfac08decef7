// The contract of a source of samples: what it can see here, and how it is started, read and
// stopped. A source is a file of this folder and a line in table.cpp; sampling.h drives it. Serves
// the verb `sample`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/sample.h"
#include "os/os.h"
#include "sensing/sources/budget.h"
#include "sensing/sources/node_lookup.h"
#include "sensing/sources/process_log.h"
#include "sensing/sources/sample_file.h"

namespace homenode::sensing {

/// What a person has to know of a source, in phrases without a full stop.
struct SourceFacts {
  std::string_view name;
  SampleSource number = SampleSource::lab;
  std::string_view sees;
  std::string_view cannot_see;
  std::string_view cost;
  std::string_view needs;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// What is going to be sampled.
struct SampleRequest {
  pid_t pid = 0;                     ///< A process that runs; 0: a program is started.
  std::vector<std::string> program;  ///< With its arguments; empty for a process that runs.
  std::string output;                ///< The sample file.
  std::string agent_folder;          ///< Where the agent's libraries are; empty: not installed.
  Environment environment = {};      ///< Of a program that is started, besides this process's.
  double overhead = 0.01;            ///< What it may cost, over the program's processor time.
  bool named = false;  ///< The person named the source, which may then change the system meanwhile.
};

/// What a source works with while it samples.
struct Sampling {
  os::Os& os;
  const SampleRequest& request;
  const NodeLookup& nodes;  ///< The node of a CPU and of a physical address.
  SampleFile& file;
  ProcessLog& processes;  ///< Those that are sampled; sources add those that they see start.
  Budget& budget;         ///< Sources add what they cost and ask it when they may go on.
  std::function<std::uint64_t()> now_ns;  ///< CLOCK_MONOTONIC.
  std::uint64_t samples_from_within = 0;  ///< What the program has written to the file by itself.
};

class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  [[nodiscard]] virtual const SourceFacts& facts() const = 0;
  /// Success where it works here, for this request. Errors: not_supported, saying what is missing
  /// and what to do. Changes nothing.
  [[nodiscard]] virtual Result<void> check(os::Os& os, const SampleRequest& request) const = 0;
  /// What a started program's environment has to hold besides the request's, whose values it may
  /// replace; called before it starts. Sources within the program (the agent) write to the same
  /// file: sample_file.h says how.
  virtual Result<Environment> environment(os::Os& /*os*/, const SampleRequest& /*request*/) {
    return Environment{};
  }
  /// Begins. A started program exists then as `pid` but waits before its exec.
  virtual Result<void> start(Sampling& sampling, pid_t pid) = 0;
  /// The started program has been let go on to its exec.
  virtual void released(Sampling& /*sampling*/) {}
  /// Descriptors that can be read when there is something to collect.
  [[nodiscard]] virtual std::vector<int> descriptors() const { return {}; }
  /// Writes what has come since, and begins a new round where it is time. Called at least ten times
  /// a second, and soon after one of descriptors() can be read.
  virtual Result<void> collect(Sampling& sampling) = 0;
  /// Writes the rest and leaves no trace in the program or the system. The program may have ended.
  /// Called once after start(), also where that or collect() failed.
  virtual Result<void> stop(Sampling& sampling) = 0;
};

}  // namespace homenode::sensing
