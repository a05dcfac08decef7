#include "capi/exception_memory.h"

#include <bit>
#include <cstring>
#include <functional>

namespace homenode::capi {

void* ExceptionMemory::take(std::size_t bytes, Allocate* allocate) {
  if (void* const block = allocate(bytes); block != nullptr) return std::memset(block, 0, bytes);
  if (bytes > slot_bytes) return nullptr;
  std::uint32_t used = used_.load();
  while (used != UINT32_MAX) {
    const auto slot = static_cast<unsigned>(std::countr_one(used));
    if (!used_.compare_exchange_weak(used, used | std::uint32_t{1} << slot)) continue;
    return std::memset(slots_.data() + slot * slot_bytes, 0, slot_bytes);
  }
  return nullptr;
}

bool ExceptionMemory::give_back(void* block) {
  const auto* const at = static_cast<unsigned char*>(block);
  const std::less<const unsigned char*> before;  // A total order, also of what is not ours.
  if (before(at, slots_.data()) || !before(at, slots_.data() + slots_.size())) return false;
  const auto slot =
      static_cast<unsigned>(static_cast<std::size_t>(at - slots_.data()) / slot_bytes);
  used_.fetch_and(~(std::uint32_t{1} << slot));
  return true;
}

}  // namespace homenode::capi
