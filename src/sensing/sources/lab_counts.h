// What the lab's plugin appends to its file at the end of a region of interest, seen from inside
// the guest: as a processor's sampling of memory accesses would report it. Pure. Serves the source
// `lab`.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sample.h"

namespace homenode::sensing {

/// The processes of threads, by the threads' ids.
using ProcessOfThread = std::map<pid_t, pid_t>;

/// About what a processor gives in half a second, at a rate that costs its programs little.
inline constexpr std::uint64_t samples_of_a_look = 20'000;

/// Every so many-th access of the latest region in `blocks`, at most `most`, by the threads that
/// are named. For each region there are a document that gives the threads' ids in the guest, and
/// blocks of samples that count accesses and have the lab's own numbers of threads, which are
/// replaced; a sample's weight is the number of accesses that it stands for. Errors: failed, when a
/// block is none, or is not whole.
Result<std::vector<Sample>> samples_of_counts(std::string_view blocks,
                                              const ProcessOfThread& processes, std::uint64_t most);

}  // namespace homenode::sensing
