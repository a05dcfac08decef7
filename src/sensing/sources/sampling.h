// One recording: starts the program or takes one that runs, lets a source write samples of it to a
// file, and ends with either. Serves the verb `sample`.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "machine/machine.h"
#include "os/pace.h"
#include "sensing/sources/sample_documents.h"
#include "sensing/sources/source.h"

namespace homenode::sensing {

struct RecordingOptions {
  SampleRequest request;
  Refusals refused;      ///< Sources that were not taken, and why.
  std::string machine;   ///< As JSON, for the file; or empty.
  std::string hostname;  ///< For the file.
  std::optional<std::chrono::nanoseconds> longest;
};

/// How it ended.
struct RecordingEnd {
  /// Of a program that was started: its exit code, or 128 + N where signal N ended it.
  std::optional<int> exit_code;
  std::uint64_t samples = 0;
  Budget budget{0};
  std::string why;  ///< "program ended", "stopped", "time is up".
  /// Why the program could not be executed: nothing was recorded.
  std::optional<Error> not_started;
  /// What went wrong while it ran: the program was left alone from there on.
  std::optional<Error> trouble;
};

/// Records until the program ends, time is up, or the person wants an end: that ends the sampling
/// of a process that ran before; a program that was started is waited for, whatever happens to the
/// sampling. Errors: the file cannot be made; there is no such process; what the source says when
/// it cannot start: then no program runs.
Result<RecordingEnd> record(os::Os& os, const machine::Machine& machine, Source& source,
                            const RecordingOptions& options, const os::Pace& pace);

}  // namespace homenode::sensing
