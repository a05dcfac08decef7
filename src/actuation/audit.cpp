#include "actuation/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>

#include "actuation/refusal.h"

namespace homenode::actuation {
namespace {

constexpr std::size_t batch_pages = 16384;

/// Address ranges that are mapped, from /proc/PID/maps, in increasing order.
class MappedRanges {
 public:
  /// Reads "first-end …" lines; what cannot be read counts as not mapped.
  MappedRanges(os::Os& os, pid_t pid) {
    const std::string path = pid == 0 ? "/proc/self/maps" : fmt::format("/proc/{}/maps", pid);
    std::string text;
    if (os.read_file(path, text) < 0) return;
    for (std::size_t line = 0; line < text.size();) {
      const char* const end = text.data() + text.size();
      Range range{};
      const auto [dash, status] = std::from_chars(text.data() + line, end, range.first, 16);
      if (status == std::errc{} && dash != end && *dash == '-' &&
          std::from_chars(dash + 1, end, range.end, 16).ec == std::errc{}) {
        ranges_.push_back(range);
      }
      const std::size_t newline = text.find('\n', line);
      line = newline == std::string::npos ? text.size() : newline + 1;
    }
  }

  [[nodiscard]] bool contains(std::uintptr_t address) const {
    const auto after = std::upper_bound(
        ranges_.begin(), ranges_.end(), address,
        [](std::uintptr_t value, const Range& range) { return value < range.first; });
    return after != ranges_.begin() && address < std::prev(after)->end;
  }

 private:
  struct Range {
    std::uintptr_t first;
    std::uintptr_t end;
  };
  std::vector<Range> ranges_;
};

PageReason reason_of(int status) {
  switch (-status) {
    case ENOENT:
      return PageReason::not_present;
    case EACCES:
    case EPERM:
      return PageReason::shared;
    case EBUSY:
      return PageReason::busy;
    default:
      return PageReason::other;
  }
}

}  // namespace

std::string to_string(PageReason reason) {
  switch (reason) {
    case PageReason::not_present:
      return "not present";
    case PageReason::zero_page:
      return "zero page";
    case PageReason::shared:
      return "shared";
    case PageReason::busy:
      return "busy";
    case PageReason::unmapped:
      return "unmapped";
    case PageReason::other:
      break;
  }
  return "other";
}

Result<Audit> audit(os::Os& os, Region region, pid_t pid) {
  const std::size_t page_bytes = os.page_bytes();
  const std::size_t pages = page_count(os, region);
  char* const first = static_cast<char*>(region.address);
  Audit result;
  result.node_of_page.resize(pages);
  std::vector<std::size_t> faulting;  // EFAULT means either of two things; told apart below.
  std::vector<void*> addresses;
  std::vector<int> status;
  std::vector<std::size_t> pages_by_node;  // A look into a map for each page would show.
  for (std::size_t start = 0; start < pages; start += batch_pages) {
    const std::size_t count = std::min(batch_pages, pages - start);
    addresses.resize(count);
    status.assign(count, -ENOENT);
    for (std::size_t i = 0; i < count; ++i) addresses[i] = first + (start + i) * page_bytes;
    const int error = os.move_pages(pid, addresses, {}, status, 0);
    if (error < 0) {
      const std::string whose = pid == 0 ? "" : fmt::format(" of process {}", pid);
      return refusal(os,
                     {.call = Call::move_pages,
                      .tried = fmt::format("cannot find out where {} pages{} are", pages, whose)},
                     error);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (status[i] >= 0) {
        const NodeId node(static_cast<unsigned>(status[i]));
        result.node_of_page[start + i] = node;
        if (node.value() >= pages_by_node.size()) pages_by_node.resize(node.value() + 1, 0);
        ++pages_by_node[node.value()];
      } else if (status[i] == -EFAULT) {
        faulting.push_back(start + i);
      } else {
        ++result.reasons[reason_of(status[i])];
      }
    }
  }
  for (unsigned node = 0; node < pages_by_node.size(); ++node) {
    if (pages_by_node[node] > 0) result.pages_on_node[NodeId(node)] = pages_by_node[node];
  }
  if (!faulting.empty()) {
    const MappedRanges mapped(os, pid);
    for (std::size_t page : faulting) {
      const auto address = reinterpret_cast<std::uintptr_t>(first + page * page_bytes);
      ++result.reasons[mapped.contains(address) ? PageReason::zero_page : PageReason::unmapped];
    }
  }
  return result;
}

}  // namespace homenode::actuation
