// The arrays of a program under a strategy: mapped, placed, and asked for their nodes.
#pragma once

#include <span>
#include <vector>

#include "actuation/aligned_memory.h"
#include "placement/placement.h"
#include "placement/strategies/strategy.h"
#include "trial/program/run.h"

namespace homenode::trial {

/// The arrays' memory, mapped and not touched.
class ProgramArrays {
 public:
  /// Asks for huge pages where an array is as large as one; a kernel without any gives small ones.
  /// Errors: failed when there is no such memory.
  static Result<ProgramArrays> map(os::Os& os, const std::vector<workloads::ArrayNeed>& needs);

  /// One for each need, in their order.
  [[nodiscard]] const std::vector<actuation::Region>& regions() const { return regions_; }
  /// Where each begins, within the first page of its region: not all at the same place there.
  [[nodiscard]] std::span<void* const> addresses() const { return addresses_; }

 private:
  std::vector<actuation::AlignedMemory> memory_;
  std::vector<actuation::Region> regions_;
  std::vector<void*> addresses_;
};

/// Places memory as the placement has it for this name, if it does; the receipt is of a page map.
/// Errors: what actuation says.
Result<std::optional<actuation::Receipt>> place_named(os::Os& os,
                                                      const placement::Placement& placement,
                                                      const std::string& name,
                                                      actuation::Region region);

/// Places the arrays of the report; their receipts are added to it. Errors: as place_named().
Result<void> place_arrays(os::Os& os, const placement::Placement& placement,
                          const ProgramArrays& arrays, ProgramReport& report);

/// Counts the pages of each array of the report by node, and those that are elsewhere than the
/// placement has them.
std::vector<ArrayAudit> audit_arrays(os::Os& os, const placement::Placement& placement,
                                     const ProgramArrays& arrays, const ProgramReport& report);

/// What all threads of this process have used of processors, in seconds.
double cpu_seconds();

}  // namespace homenode::trial
