// What the kernel has made of a region: its mappings and huge pages, by maps and smaps; and keeping
// huge pages away from what is placed page by page. Serves region.cpp, next_touch.cpp and
// region_move_to_policy.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "actuation/region.h"
#include "base/units.h"
#include "os/os.h"

namespace homenode::actuation {

/// How much of an address range is in huge pages, from the text of /proc/self/smaps; nothing when
/// the range is not in it. Pure. A mapping may be larger than the range: the sum is cut to it.
std::optional<Bytes> huge_in(std::string_view smaps, std::uintptr_t first, std::size_t bytes);
/// How much of the region is in transparent huge pages, from /proc/self/smaps; nothing when it
/// cannot be read.
std::optional<Bytes> huge_bytes(os::Os& os, Region region);

/// The parts of an address range that no access is allowed to, from the text of /proc/self/maps;
/// nothing when all of the range is mapped. Pure.
std::optional<std::vector<Region>> closed_remains(std::string_view maps, std::uintptr_t first,
                                                  std::size_t bytes);

/// Of x86-64, and of arm64 and RISC-V with 4 KiB pages. Elsewhere huge pages are larger, and a map
/// that fits 2 MiB units may still divide them; the audit then shows it.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;

/// Forbids huge pages for the region's whole pages, now and later (madvise). Done, too, on a kernel
/// that has none. Errors: the kernel's refusal with what to do.
Result<void> forbid_huge_pages(os::Os& os, Region region);

/// Makes the kernel split the huge page that holds this page, if it is in one: advice on a part of
/// a huge page does. Best effort: where it does not, the audit shows the pages that stayed.
void split_huge_page(os::Os& os, void* page);

}  // namespace homenode::actuation
