// Memory of a program's own, aligned as huge pages need it.
#pragma once

#include <cstddef>

#include "actuation/region.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::actuation {

/// Anonymous memory whose start and size are multiples of an alignment; unmapped at the end.
class AlignedMemory {
 public:
  /// pre: alignment is a power of two and a multiple of the page size, bytes of the alignment.
  /// Errors: failed when the kernel has no such memory.
  static Result<AlignedMemory> map(os::Os& os, std::size_t bytes, std::size_t alignment);
  AlignedMemory(AlignedMemory&& other) noexcept;
  AlignedMemory& operator=(AlignedMemory&&) = delete;
  ~AlignedMemory();

  [[nodiscard]] Region region() const { return region_; }

 private:
  AlignedMemory(os::Os& os, Region region) : os_(&os), region_(region) {}

  os::Os* os_;
  Region region_;
};

}  // namespace homenode::actuation
