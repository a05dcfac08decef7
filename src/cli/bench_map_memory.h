// homenode bench map: the workload's memory, and what the kernel says about it.
#pragma once

#include <optional>

#include "actuation/region.h"
#include "base/result.h"
#include "base/units.h"
#include "cli/bench_map_plan.h"
#include "os/os.h"

namespace homenode::cli {

/// Anonymous memory whose start and size are multiples of an alignment; unmapped at the end.
class AlignedMemory {
 public:
  /// pre: alignment is a power of two and a multiple of the page size, bytes of the alignment.
  /// Errors: failed when the kernel has no such memory.
  static Result<AlignedMemory> map(os::Os& os, std::size_t bytes, std::size_t alignment);
  AlignedMemory(AlignedMemory&& other) noexcept;
  AlignedMemory& operator=(AlignedMemory&&) = delete;
  ~AlignedMemory();

  [[nodiscard]] actuation::Region region() const { return region_; }

 private:
  AlignedMemory(os::Os& os, actuation::Region whole, actuation::Region region)
      : os_(&os), whole_(whole), region_(region) {}

  os::Os* os_;
  actuation::Region whole_;
  actuation::Region region_;
};

/// Asks for small or huge pages. Errors: not_supported when this kernel has no huge pages.
Result<void> choose_pages(os::Os& os, actuation::Region region, PageKind pages);

/// How much of the region is in transparent huge pages, from /proc/self/smaps; nothing when it
/// cannot be read.
std::optional<Bytes> huge_bytes(os::Os& os, actuation::Region region);

}  // namespace homenode::cli
