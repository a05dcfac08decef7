// The C interface's allocator: blocks placed by the text of a memory rule, behind functions of the
// shape that numpy (NEP 49) and others take an allocator in. A block of at least a page is a region
// of its own; smaller ones are malloc's, since a page is the least that has a node.
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/region_place.h"
#include "homenode/homenode.h"

namespace homenode::capi {
namespace {

using OwnedRegion = std::unique_ptr<hn_region, decltype(&hn_region_free)>;

/// The regions that are blocks, by their first byte.
struct Blocks {
  std::mutex lock = {};
  std::unordered_map<const void*, OwnedRegion> regions = {};
};

/// Never destroyed, because arrays are freed as late as the program likes.
Blocks& blocks() {
  static Blocks* const all = new Blocks;
  return *all;
}

/// Zeroed memory, placed if the kernel lets it be; nullptr when there is none.
void* allocate(const char* rule, std::size_t bytes) {
  hn_region* region = nullptr;
  hn_region_allocate(bytes, rule, &region, nullptr);
  if (region == nullptr) hn_region_allocate(bytes, nullptr, &region, nullptr);
  if (region == nullptr) return nullptr;
  OwnedRegion owned(region, &hn_region_free);
  void* const address = owned->address;
  const std::lock_guard guard(blocks().lock);
  blocks().regions.emplace(address, std::move(owned));
  return address;
}

/// Takes the region of a block out of the account; none when the block is malloc's.
OwnedRegion take(const void* address) {
  OwnedRegion none(nullptr, &hn_region_free);
  if (reinterpret_cast<std::uintptr_t>(address) % kernel().page_bytes() != 0) return none;
  const std::lock_guard guard(blocks().lock);
  auto node = blocks().regions.extract(address);
  return node.empty() ? std::move(none) : std::move(node.mapped());
}

/// How many bytes of a block may be used.
std::size_t usable_bytes(void* address) {
  const std::lock_guard guard(blocks().lock);
  const auto found = blocks().regions.find(address);
  if (found == blocks().regions.end()) return malloc_usable_size(address);
  return found->second->bytes;
}

bool is_small(std::size_t bytes) {
  return bytes < kernel().page_bytes();
}

void* reallocate(const char* rule, void* address, std::size_t bytes) {
  const std::size_t before = usable_bytes(address);
  void* const moved = hn_rule_malloc(rule, bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, address, std::min(before, bytes));
  hn_rule_free(rule, address, before);
  return moved;
}

}  // namespace
}  // namespace homenode::capi

using namespace homenode;  // NOLINT: the C interface stands outside the namespace.

extern "C" void* hn_rule_malloc(const char* rule, size_t bytes) {
  return capi::guarded_value<void*>(nullptr, [&] {
    return capi::is_small(bytes) ? std::malloc(bytes) : capi::allocate(rule, bytes);
  });
}

extern "C" void* hn_rule_calloc(const char* rule, size_t count, size_t bytes) {
  return capi::guarded_value<void*>(nullptr, [&]() -> void* {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
    return capi::is_small(all) ? std::calloc(1, all) : capi::allocate(rule, all);
  });
}

extern "C" void* hn_rule_realloc(const char* rule, void* address, size_t bytes) {
  if (address == nullptr) return hn_rule_malloc(rule, bytes);
  return capi::guarded_value<void*>(nullptr,
                                    [&] { return capi::reallocate(rule, address, bytes); });
}

extern "C" void hn_rule_free(const char* /*rule*/, void* address, size_t /*bytes*/) {
  const bool is_region =
      capi::guarded_value(false, [&] { return capi::take(address).get() != nullptr; });
  if (!is_region) std::free(address);
}
