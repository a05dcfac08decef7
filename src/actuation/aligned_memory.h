// Memory of a program's own, aligned as huge pages need it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "actuation/region.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::actuation {

/// Anonymous memory whose start and size are multiples of an alignment; unmapped at the end.
class AlignedMemory {
 public:
  /// pre: alignment is a power of two and a multiple of the page size, bytes of the alignment.
  /// Errors: failed when the kernel has no such memory.
  static Result<AlignedMemory> map(os::Os& os, std::size_t bytes, std::size_t alignment) {
    void* address = nullptr;
    if (const int result = os.map_aligned_memory(bytes, alignment, address); result < 0) {
      return failed("cannot allocate " + std::to_string(bytes >> 20U) + " MiB",
                    "choose a smaller problem or raise the memory limit", -result);
    }
    return AlignedMemory(os, {address, bytes});
  }

  AlignedMemory(AlignedMemory&& other) noexcept
      : os_(other.os_), region_(std::exchange(other.region_, {})) {}
  AlignedMemory& operator=(AlignedMemory&&) = delete;
  ~AlignedMemory() {
    if (region_.address != nullptr) os_->unmap_memory(region_.address, region_.bytes);
  }

  [[nodiscard]] Region region() const { return region_; }

 private:
  AlignedMemory(os::Os& os, Region region) : os_(&os), region_(region) {}

  os::Os* os_;
  Region region_;
};

}  // namespace homenode::actuation
