#include "actuation/move.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "actuation/refusal.h"

namespace homenode::actuation {
namespace {

/// The kernel stops a call at the first page that it cannot move and does not say which, so what a
/// large batch leaves behind is tried again in small ones, and at last one by one, for the reasons.
constexpr std::size_t batch_sizes[] = {4096, 64, 1};
/// A full node refuses any number of pages for one reason; this many tries are enough to learn it.
constexpr std::size_t most_single_tries = 1024;

/// A status that no kernel gives: the page was not tried.
constexpr int not_tried = -100000;

class Mover {
 public:
  Mover(os::Os& os, Region region, const placement::PageMap& map, Audit& audit)
      : os_(os), region_(region), map_(map), audit_(audit) {}

  Result<std::vector<Error>> run() {
    std::vector<std::size_t> pending = misplaced();
    for (std::size_t batch : batch_sizes) {
      if (pending.empty()) break;
      std::stable_sort(pending.begin(), pending.end(),
                       [this](std::size_t a, std::size_t b) { return map_[a] < map_[b]; });
      const bool go_on = move_in_batches(pending, batch);
      if (const auto queried = query(pending); !queried) return queried.as_unexpected();
      pending = misplaced(pending);
      if (!go_on) break;
    }
    return refusals_of(pending);
  }

 private:
  /// What was refused for the nodes that still miss pages; the rest was made good by a later try.
  [[nodiscard]] std::vector<Error> refusals_of(const std::vector<std::size_t>& pending) const {
    std::set<NodeId> missing;
    for (std::size_t page : pending) missing.insert(map_[page]);
    std::vector<Error> refusals;
    for (const auto& [key, error] : refusals_) {
      if (missing.contains(key.first)) refusals.push_back(error);
    }
    return refusals;
  }

  [[nodiscard]] bool is_misplaced(std::size_t page) const {
    return audit_.node_of_page[page] && *audit_.node_of_page[page] != map_[page];
  }

  [[nodiscard]] std::vector<std::size_t> misplaced() const {
    std::vector<std::size_t> pages;
    for (std::size_t page = 0; page < map_.size(); ++page) {
      if (is_misplaced(page)) pages.push_back(page);
    }
    return pages;
  }

  [[nodiscard]] std::vector<std::size_t> misplaced(const std::vector<std::size_t>& among) const {
    std::vector<std::size_t> pages;
    std::copy_if(among.begin(), among.end(), std::back_inserter(pages),
                 [this](std::size_t page) { return is_misplaced(page); });
    return pages;
  }

  /// False when no further move makes sense.
  bool move_in_batches(const std::vector<std::size_t>& pending, std::size_t batch) {
    std::size_t tries = 0;
    for (std::size_t start = 0; start < pending.size();) {
      const NodeId target = map_[pending[start]];
      std::size_t end = start + 1;
      while (end < pending.size() && end - start < batch && map_[pending[end]] == target) ++end;
      if (batch == 1 && ++tries > most_single_tries) return false;
      set_batch(pending, start, end);
      const std::vector<int> targets(end - start, static_cast<int>(target.value()));
      status_.assign(end - start, not_tried);
      const int result = os_.move_pages(0, addresses_, targets, status_, MPOL_MF_MOVE);
      if (result < 0) note(Call::move_pages, target, result);
      if (result == -EPERM || result == -ENOSYS) return false;
      for (int status : status_) {
        if (status < 0 && status != not_tried) note(Call::page_move, target, status);
      }
      start = end;
    }
    return true;
  }

  Result<void> query(const std::vector<std::size_t>& pages) {
    for (std::size_t start = 0; start < pages.size(); start += batch_sizes[0]) {
      const std::size_t end = std::min(pages.size(), start + batch_sizes[0]);
      set_batch(pages, start, end);
      status_.assign(end - start, -ENOENT);
      const int result = os_.move_pages(0, addresses_, {}, status_, 0);
      if (result < 0) {
        return refusal(os_, {.call = Call::move_pages, .tried = "cannot verify the moved pages"},
                       result);
      }
      for (std::size_t i = start; i < end; ++i) update(pages[i], status_[i - start]);
    }
    return {};
  }

  void update(std::size_t page, int status) {
    std::optional<NodeId>& node = audit_.node_of_page[page];
    if (--audit_.pages_on_node[*node] == 0) audit_.pages_on_node.erase(*node);
    node.reset();
    if (status < 0) {
      ++audit_.reasons[status == -ENOENT ? PageReason::not_present : PageReason::other];
    } else {
      node = NodeId(static_cast<unsigned>(status));
      ++audit_.pages_on_node[*node];
    }
  }

  void set_batch(const std::vector<std::size_t>& pages, std::size_t start, std::size_t end) {
    addresses_.clear();
    for (std::size_t i = start; i < end; ++i) {
      addresses_.push_back(static_cast<char*>(region_.address) + pages[i] * os_.page_bytes());
    }
  }

  /// Keeps one Error for each target and reason.
  void note(Call call, NodeId target, int result) {
    if (refusals_.contains({target, result})) return;
    Error error =
        refusal(os_,
                {.call = call,
                 .tried = fmt::format("cannot move some pages to node {}", target.value())},
                result)
            .take();
    refusals_.emplace(std::pair(target, result), std::move(error));
  }

  os::Os& os_;
  Region region_;
  const placement::PageMap& map_;
  Audit& audit_;
  std::vector<void*> addresses_;
  std::vector<int> status_;
  std::map<std::pair<NodeId, int>, Error> refusals_;
};

}  // namespace

Result<std::vector<Error>> move_misplaced(os::Os& os, Region region, const placement::PageMap& map,
                                          Audit& audit) {
  return Mover(os, region, map, audit).run();
}

int move_batch(os::Os& os, pid_t pid, std::span<void* const> pages, NodeId target) {
  const std::vector<int> targets(pages.size(), static_cast<int>(target.value()));
  std::vector<int> status(pages.size());
  return os.move_pages(pid, pages, targets, status, MPOL_MF_MOVE);
}

}  // namespace homenode::actuation
