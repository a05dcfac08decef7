#include "sensing/page_query.h"

#include <algorithm>
#include <cerrno>

namespace homenode::sensing {
namespace {

constexpr std::size_t batch_pages = 16384;

}  // namespace

int query_pages(os::Os& os, pid_t pid, std::span<void* const> addresses, std::vector<int>& status) {
  status.assign(addresses.size(), -ENOENT);
  for (std::size_t start = 0; start < addresses.size(); start += batch_pages) {
    const std::size_t count = std::min(batch_pages, addresses.size() - start);
    const int result = os.move_pages(pid, addresses.subspan(start, count), {},
                                     std::span(status).subspan(start, count), 0);
    if (result < 0) return result;
  }
  return 0;
}

std::vector<void*> addresses_of(PageRange range) {
  std::vector<void*> addresses(range.pages);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    addresses[i] = reinterpret_cast<void*>(  // NOLINT
        range.first + i * range.stride * range.page_size.value);
  }
  return addresses;
}

}  // namespace homenode::sensing
