// The C interface's regions: getting, freeing and auditing them. region_place.cpp places them.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "actuation/audit.h"
#include "actuation/mappings.h"
#include "actuation/refusal.h"
#include "base/sample.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/region_place.h"
#include "homenode/homenode.h"

namespace homenode::capi {
namespace {

constexpr std::size_t largest_bytes = std::numeric_limits<std::size_t>::max() / 4;

Result<void> check_place(const void* region) {
  if (region != nullptr) return {};
  return bad_usage("region is NULL", "pass the address of a region pointer");
}

Result<std::unique_ptr<hn_region>> allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > largest_bytes) {
    return bad_usage(fmt::format("cannot allocate {} bytes", bytes), "give a size above 0");
  }
  os::Os& os = kernel();
  // A large region begins and ends where huge pages do, so that the kernel may use them.
  constexpr std::size_t huge = actuation::huge_page_bytes;
  const std::size_t unit = bytes >= huge ? huge : os.page_bytes();
  auto memory = actuation::AlignedMemory::map(os, (bytes + unit - 1) / unit * unit, unit);
  if (!memory) {
    return failed(fmt::format("cannot allocate {} bytes", bytes),
                  "ask for less, or raise the limit of the address space (ulimit -v)",
                  memory.error().errno_value);
  }
  auto region = std::make_unique<hn_region>();
  region->address = memory->region().address;
  region->bytes = bytes;
  region->pages = {region->address,
                   actuation::page_count(os, {region->address, bytes}) * os.page_bytes()};
  region->memory.emplace(*std::move(memory));
  return region;
}

/// The kernel takes 79 characters.
constexpr std::size_t longest_name = 79 - (sizeof region_prefix - 1);

Result<void> check_name(const char* name) {
  const std::string_view text = name == nullptr ? "" : name;
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x1f && c < 0x7f && std::string_view("\\`$[]").find(c) == std::string_view::npos;
  });
  if (printable && !text.empty() && text.size() <= longest_name) return {};
  return bad_usage(
      fmt::format("cannot name a region '{}'", text),
      fmt::format("give 1 to {} printable characters without \\ ` $ [ ]", longest_name));
}

/// The pages that a range holds from their first byte to their last.
actuation::Region inner_pages(os::Os& os, const hn_region& region) {
  const std::size_t page = os.page_bytes();
  const auto address = reinterpret_cast<std::uintptr_t>(region.address);
  const std::uintptr_t first = (address + page - 1) / page * page;
  // Memory of our own goes on to the end of its last page.
  const std::uintptr_t end =
      region.memory ? address + region.pages.bytes : (address + region.bytes) / page * page;
  char* const begin = static_cast<char*>(region.address) + (first - address);
  return {begin, end > first ? end - first : 0};
}

/// The pages that a range touches, the parts of a page at either end included.
actuation::Region whole_pages(os::Os& os, void* address, std::size_t bytes) {
  const std::size_t before = reinterpret_cast<std::uintptr_t>(address) % os.page_bytes();
  const actuation::Region range{static_cast<char*>(address) - before, bytes + before};
  return {range.address, actuation::page_count(os, range) * os.page_bytes()};
}

}  // namespace
}  // namespace homenode::capi

using namespace homenode;  // NOLINT: the C interface stands outside the namespace.

extern "C" int hn_region_allocate(size_t bytes, const char* rule, hn_region** region,
                                  char** error) {
  if (region != nullptr) *region = nullptr;
  return capi::guarded(error, [&]() -> Result<int> {
    if (const auto place = capi::check_place(region); !place) return place.as_unexpected();
    auto made = capi::allocate(bytes);
    if (!made) return made.as_unexpected();
    int status = HN_OK;
    if (rule != nullptr) {
      const auto placed = capi::place(**made, rule, error);
      if (!placed) return placed.as_unexpected();
      status = *placed;
    }
    *region = made->release();
    return status;
  });
}

extern "C" int hn_region_adopt(void* address, size_t bytes, hn_region** region, char** error) {
  if (region != nullptr) *region = nullptr;
  return capi::guarded(error, [&]() -> Result<void> {
    if (const auto place = capi::check_place(region); !place) return place.as_unexpected();
    if (address == nullptr || bytes == 0 || bytes > capi::largest_bytes) {
      return bad_usage(
          fmt::format("this process has not mapped all {} bytes at {}", bytes, address),
          "give the address and the size of mapped memory");
    }
    auto made = std::make_unique<hn_region>();
    made->address = address;
    made->bytes = bytes;
    made->pages = capi::whole_pages(capi::kernel(), address, bytes);
    *region = made.release();
    return {};
  });
}

extern "C" int hn_region_name(hn_region* region, const char* name, char** error) {
  return capi::guarded(error, [&]() -> Result<void> {
    if (region == nullptr) return bad_usage("the region is NULL", "allocate or adopt one");
    if (const auto fit = capi::check_name(name); !fit) return fit;
    const auto pages = capi::inner_pages(capi::kernel(), *region);
    if (pages.bytes == 0) return {};
    // A kernel that names no memory, or not this, shows none: whoever samples has heard the call.
    capi::kernel().name_memory(pages.address, pages.bytes, std::string(region_prefix) + name);
    return {};
  });
}

extern "C" void hn_region_free(hn_region* region) {
  delete region;
}

extern "C" void* hn_region_address(const hn_region* region) {
  return region == nullptr ? nullptr : region->address;
}

extern "C" size_t hn_region_bytes(const hn_region* region) {
  return region == nullptr ? 0 : region->bytes;
}

extern "C" size_t hn_region_pages(const hn_region* region) {
  return region == nullptr ? 0 : region->pages.bytes / capi::kernel().page_bytes();
}

extern "C" size_t hn_page_bytes(void) {
  return capi::kernel().page_bytes();
}

extern "C" int hn_region_audit(const hn_region* region, int* nodes, size_t capacity, char** json,
                               char** error) {
  if (json != nullptr) *json = nullptr;
  return capi::guarded(error, [&]() -> Result<void> {
    if (region == nullptr) return bad_usage("the region is NULL", "allocate or adopt one");
    const std::lock_guard guard(region->lock);
    const auto audit = actuation::audit(capi::kernel(), region->pages);
    if (!audit) return audit.as_unexpected();
    const auto& pages = audit->node_of_page;
    for (std::size_t i = 0; nodes != nullptr && i < std::min(capacity, pages.size()); ++i) {
      nodes[i] = pages[i] ? static_cast<int>(pages[i]->value()) : HN_NO_NODE;
    }
    if (json == nullptr) return {};
    const auto huge = actuation::huge_bytes(capi::kernel(), region->pages);
    *json = capi::copy_out(capi::to_json(*audit, capi::kernel().page_bytes(), huge));
    if (*json == nullptr) return failed("there is no memory for the text", "free some memory");
    return {};
  });
}

extern "C" int hn_region_use_huge_pages(hn_region* region, int wanted, char** error) {
  return capi::guarded(error, [&]() -> Result<void> {
    if (region == nullptr) return bad_usage("the region is NULL", "allocate or adopt one");
    const std::lock_guard guard(region->lock);
    const int advice = wanted != 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
    const int result =
        capi::kernel().advise_memory(region->pages.address, region->pages.bytes, advice);
    if (result == 0) return {};
    if (result == -EINVAL) {
      return not_supported("this kernel has no transparent huge pages", "continue without them",
                           -result);
    }
    return actuation::refusal(
        capi::kernel(),
        {.call = actuation::Call::madvise,
         .tried = wanted != 0 ? "cannot ask for huge pages" : "cannot forbid huge pages"},
        result);
  });
}

extern "C" void hn_region_statistics(const hn_region* region, hn_statistics* statistics) {
  if (statistics == nullptr) return;
  *statistics = {};
  if (region == nullptr) return;
  *statistics = capi::guarded_value(hn_statistics{}, [&] { return capi::statistics_of(*region); });
}
