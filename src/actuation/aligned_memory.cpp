#include "actuation/aligned_memory.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace homenode::actuation {

Result<AlignedMemory> AlignedMemory::map(os::Os& os, std::size_t bytes, std::size_t alignment) {
  const std::size_t slack = alignment > os.page_bytes() ? alignment : 0;
  void* address = nullptr;
  if (const int result = os.map_memory(bytes + slack, address); result < 0) {
    return failed(fmt::format("cannot allocate {} MiB", (bytes + slack) >> 20U),
                  "choose a smaller problem or raise the memory limit", -result);
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t aligned = (begin + alignment - 1) / alignment * alignment;
  return AlignedMemory(os, {address, bytes + slack},
                       {static_cast<char*>(address) + (aligned - begin), bytes});
}

AlignedMemory::AlignedMemory(AlignedMemory&& other) noexcept
    : os_(other.os_),
      whole_(std::exchange(other.whole_, {})),
      region_(std::exchange(other.region_, {})) {}

AlignedMemory::~AlignedMemory() {
  if (whole_.address != nullptr) os_->unmap_memory(whole_.address, whole_.bytes);
}

}  // namespace homenode::actuation
