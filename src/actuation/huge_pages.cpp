#include "actuation/huge_pages.h"

#include <sys/mman.h>

#include <cerrno>

#include "actuation/refusal.h"

#ifndef MADV_COLD
#define MADV_COLD 20
#endif

namespace homenode::actuation {

Result<void> forbid_huge_pages(os::Os& os, Region region) {
  const std::size_t bytes = page_count(os, region) * os.page_bytes();
  const int result = os.advise_memory(region.address, bytes, MADV_NOHUGEPAGE);
  // EINVAL: a kernel that has no huge pages, so there is nothing to forbid.
  if (result == 0 || result == -EINVAL) return {};
  return refusal(os, {.call = Call::madvise, .tried = "cannot forbid huge pages for the region"},
                 result);
}

void split_huge_page(os::Os& os, void* page) {
  (void)os.advise_memory(page, os.page_bytes(), MADV_COLD);
}

}  // namespace homenode::actuation
