#include "actuation/aligned_memory.h"

#include <fmt/format.h>

#include <utility>

namespace homenode::actuation {

Result<AlignedMemory> AlignedMemory::map(os::Os& os, std::size_t bytes, std::size_t alignment) {
  void* address = nullptr;
  if (const int result = os.map_aligned_memory(bytes, alignment, address); result < 0) {
    return failed(fmt::format("cannot allocate {} MiB", bytes >> 20U),
                  "choose a smaller problem or raise the memory limit", -result);
  }
  return AlignedMemory(os, {address, bytes});
}

AlignedMemory::AlignedMemory(AlignedMemory&& other) noexcept
    : os_(other.os_), region_(std::exchange(other.region_, {})) {}

AlignedMemory::~AlignedMemory() {
  if (region_.address != nullptr) os_->unmap_memory(region_.address, region_.bytes);
}

}  // namespace homenode::actuation
