// Where the pages of any process are, one by one: the query form of move_pages, in batches. Serves
// the survey on kernels that count no pages per mapping, and repair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "os/os.h"

namespace homenode::sensing {

/// status[i] is the node of the page at addresses[i], or -errno (-ENOENT: not present). No page is
/// faulted in. Gives 0, or the -errno of a whole batch.
int query_pages(os::Os& os, pid_t pid, std::span<void* const> addresses, std::vector<int>& status);

/// The addresses of pages, as move_pages takes them.
struct PageRange {
  std::uint64_t first = 0;  ///< Address of the first page.
  std::uint64_t pages = 0;
  Bytes page_size;
  std::uint64_t stride = 1;  ///< From one to the next, in pages.
};
std::vector<void*> addresses_of(PageRange range);

}  // namespace homenode::sensing
