// What the plugin appends to a sample file (base/sample.h, docs/sample-file.md) at the end of a
// region of interest: blocks of samples, and a document that says which threads they are of. The
// lab's driver makes a complete sample file of it (python/homenode/lab/samples.py).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/sample.h"
#include "lab/plugin/counts.h"

namespace homenode::lab {

/// The region's threads: their numbers, which are the samples' `tid`, their processes' numbers,
/// which are the samples' `pid`, their thread pointers, and their ids in the guest, 0 where those
/// are not known. A document of the kind "lab_threads". `owner` is the number of the process that
/// began the region, null if it was not counted.
[[nodiscard]] std::string threads_block(unsigned region, const Region& counted,
                                        std::span<const VcpuAccount> vcpus,
                                        const ThreadNumbers& numbers);

/// The samples of one vCPU, a number of accesses each, in blocks of at most a few MiB.
class SampleBlocks {
 public:
  /// pre: they outlive this; `nodes` are those of the vCPU's counters.
  SampleBlocks(unsigned region, std::uint16_t cpu, const VcpuAccount& vcpu,
               const ThreadNumbers& numbers, std::span<const NodeId> nodes);

  /// The next block, header and all; empty at the end.
  [[nodiscard]] std::string next();

 private:
  void append_counts(const UnitCounts::Entry& entry);
  void append(Sample& sample, std::uint64_t count);

  Sample common_;
  const VcpuAccount& vcpu_;
  std::span<const NodeId> nodes_;
  std::vector<std::uint32_t> tids_;  ///< By the vCPU's own numbers.
  std::vector<std::uint32_t> pids_;
  std::size_t at_ = 0;
  std::string samples_;
};

}  // namespace homenode::lab
