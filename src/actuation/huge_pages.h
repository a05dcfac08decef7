// Huge pages against placement page by page: keeping them away, and dividing those that are there.
// Serves place.cpp and next_touch.cpp.
#pragma once

#include <cstddef>

#include "actuation/region.h"

namespace homenode::actuation {

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
