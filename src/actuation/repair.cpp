#include "actuation/repair.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "actuation/refusal.h"
#include "actuation/repair_targets.h"
#include "base/id_list.h"
#include "sensing/page_query.h"

namespace homenode::actuation {
namespace {

using actuation::Call;
using sensing::Mapping;
using sensing::Survey;

constexpr std::uint64_t window_pages = 16384;
/// What a large batch leaves behind is tried again in small ones, and at last one by one: the
/// kernel stops a call at the first page that it cannot move and does not say which.
constexpr std::size_t batch_sizes[] = {4096, 64, 1};
/// One reason for one target is learnt from so many pages; the others share it.
constexpr std::size_t most_single_tries = 256;
constexpr std::uint64_t transparent_huge_bytes = std::uint64_t{2} << 20U;
constexpr double mebibyte = 1U << 20U;
/// A status that no kernel gives: the page was not tried.
constexpr int not_tried = -100000;

/// A page that is not where it should be.
struct Misplaced {
  void* address = nullptr;
  NodeId target;
  int last = not_tried;  ///< What the kernel said last: a node or -errno.
};

class PageRepair {
 public:
  PageRepair(os::Os& os, const Survey& survey, const RepairRequest& request, const os::Pace& pace,
             const SayRepair& say)
      : os_(os), survey_(survey), request_(request), pace_(pace), say_(say) {}

  Result<RepairReceipt> run() {
    std::vector<const Mapping*> chosen;
    for (const Mapping& mapping : survey_.mappings) {
      if (is_chosen(mapping)) chosen.push_back(&mapping);
    }
    if (request_.at && chosen.empty()) {
      return bad_usage(fmt::format("no mapping with pages starts at {:x}", *request_.at),
                       "'homenode where PID --mappings' lists them");
    }
    for (const Mapping* mapping : chosen) present_bytes_ += mapping->bytes().value;
    const auto started = pace_.now();
    started_ = started;
    for (const Mapping* mapping : chosen) {
      if (is_over()) break;
      if (const auto done = repair(*mapping); !done) return done.as_unexpected();
    }
    for (auto& [key, refused] : refused_) receipt_.refusals.push_back(std::move(refused));
    receipt_.seconds = std::chrono::duration<double>(pace_.now() - started).count();
    return std::move(receipt_);
  }

 private:
  [[nodiscard]] bool is_chosen(const Mapping& mapping) const {
    if (mapping.pages.empty() || !mapping.end) return false;
    return request_.at ? mapping.first == *request_.at : request_.groups.contains(mapping.group);
  }

  bool is_over() {
    receipt_.stopped = receipt_.stopped || pace_.stopped();
    return receipt_.stopped || receipt_.ended;
  }

  Result<void> repair(const Mapping& mapping) {
    page_bytes_ = mapping.page_size.value;
    const bool huge = mapping.transparent_huge.value_or(Bytes()).value > 0 &&
                      page_bytes_ < transparent_huge_bytes;
    unit_bytes_ = huge ? transparent_huge_bytes : page_bytes_;
    if (huge) ++mappings_in_huge_units_;
    // Units are aligned in the address space, as huge pages are.
    const std::uint64_t first_unit = mapping.first / unit_bytes_;
    const std::uint64_t units = (*mapping.end - 1) / unit_bytes_ - first_unit + 1;
    const auto targets = WhereTargets::make(request_.rule, units);
    if (!targets) return targets.as_unexpected();
    const std::uint64_t pages = (*mapping.end - mapping.first) / page_bytes_;
    for (std::uint64_t start = 0; start < pages && !is_over(); start += window_pages) {
      const sensing::PageRange window{mapping.first + start * page_bytes_,
                                      std::min(window_pages, pages - start), mapping.page_size};
      if (const auto done = repair(window, *targets, first_unit); !done) return done;
      if (say_) say_(receipt_.looked_at_bytes, present_bytes_, receipt_.moved_bytes);
    }
    if (huge && mappings_in_huge_units_ == 1) {
      receipt_.notes.emplace_back(
          "mappings with transparent huge pages are placed in units of 2 MiB, which cannot be "
          "split from outside the process");
    }
    return {};
  }

  Result<void> repair(const sensing::PageRange& window, const WhereTargets& targets,
                      std::uint64_t first_unit) {
    const std::vector<void*> addresses = addresses_of(window);
    std::vector<int> status;
    if (const int result = sensing::query_pages(os_, survey_.pid, addresses, status); result < 0) {
      return cannot_query(result);
    }
    std::vector<Misplaced> pending;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (status[i] < 0) continue;
      const NodeId now(static_cast<unsigned>(status[i]));
      receipt_.looked_at_bytes += page_bytes_;
      const std::uint64_t unit = (window.first + i * page_bytes_) / unit_bytes_ - first_unit;
      const NodeId target = targets.of(unit, now);
      if (target == now) continue;
      receipt_.planned_bytes += page_bytes_;
      receipt_.plan[{now, target}] += page_bytes_;
      pending.push_back({addresses[i], target});
    }
    if (request_.dry_run || pending.empty()) return {};
    std::stable_sort(pending.begin(), pending.end(),
                     [](const Misplaced& a, const Misplaced& b) { return a.target < b.target; });
    for (std::size_t batch : batch_sizes) {
      move_in_batches(pending, batch);
      if (const auto done = verify(pending); !done) return done;
      if (pending.empty() || is_over()) break;
    }
    settle(pending);
    return {};
  }

  /// The end of a process while it is repaired is no error, but the end of the repair.
  Result<void> cannot_query(int result) {
    if (result == -ESRCH) {
      receipt_.ended = true;
      return {};
    }
    return actuation::refusal(
        os_,
        {.call = Call::move_pages,
         .tried = fmt::format("cannot find out where the pages of process {} are", survey_.pid)},
        result);
  }

  /// Whether another try of the page can come to anything.
  [[nodiscard]] bool is_worth_trying(const Misplaced& page) const {
    if (page.last == -EACCES || page.last == -EPERM) return false;
    return !closed_.contains(page.target);
  }

  void move_in_batches(std::vector<Misplaced>& pending, std::size_t largest) {
    std::size_t tries = 0;
    std::size_t next = 0;
    while (next < pending.size() && !is_over()) {
      std::vector<std::size_t> batch;
      const NodeId target = pending[next].target;
      const std::size_t limit = std::min(largest, pages_at_once());
      for (; next < pending.size() && batch.size() < limit && pending[next].target == target;
           ++next) {
        if (is_worth_trying(pending[next])) batch.push_back(next);
      }
      if (batch.empty()) continue;
      if (largest == 1 && ++tries > most_single_tries) return;
      move(pending, batch, target);
      keep_rate();
    }
  }

  void move(std::vector<Misplaced>& pending, const std::vector<std::size_t>& batch, NodeId target) {
    std::vector<void*> addresses;
    addresses.reserve(batch.size());
    for (std::size_t index : batch) addresses.push_back(pending[index].address);
    const std::vector<int> targets(batch.size(), static_cast<int>(target.value()));
    std::vector<int> status(batch.size(), not_tried);
    const int flags = request_.move_shared ? MPOL_MF_MOVE_ALL : MPOL_MF_MOVE;
    const int result = os_.move_pages(survey_.pid, addresses, targets, status, flags);
    tried_bytes_ += batch.size() * page_bytes_;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (status[i] != not_tried) pending[batch[i]].last = status[i];
    }
    if (result >= 0) return;
    receipt_.ended = receipt_.ended || result == -ESRCH;
    for (std::size_t index : batch) {
      int& last = pending[index].last;
      if (last == not_tried || last >= 0) last = call_status(result);
    }
    // No other page can be had by this target either; ENOMEM alone may be that of a large batch.
    if (result != -ENOMEM || batch.size() == 1) closed_[target] = call_status(result);
  }

  /// A refused call, apart from the status of a page: EACCES is the cpuset's there, not a sharer's.
  static int call_status(int result) {
    const bool same_as_of_a_page = result == -ENOMEM || result == -ENODEV;
    return same_as_of_a_page ? result : result + call_base;
  }
  static bool is_call_status(int last) { return last < call_base && last != not_tried; }
  static constexpr int call_base = -10000;

  /// Takes the pages off the list that are where they should be, or nowhere.
  Result<void> verify(std::vector<Misplaced>& pending) {
    std::vector<void*> addresses;
    addresses.reserve(pending.size());
    for (const Misplaced& page : pending) addresses.push_back(page.address);
    std::vector<int> status;
    if (const int result = sensing::query_pages(os_, survey_.pid, addresses, status); result < 0) {
      if (result != -ESRCH) return cannot_query(result);
      receipt_.ended = true;
      return {};
    }
    std::vector<Misplaced> left;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (status[i] == static_cast<int>(pending[i].target.value())) {
        receipt_.moved_bytes += page_bytes_;
      } else if (status[i] < 0) {
        receipt_.vanished_bytes += page_bytes_;
      } else {
        left.push_back(pending[i]);
      }
    }
    pending = std::move(left);
    return {};
  }

  /// Says why each page that is left was not moved.
  void settle(const std::vector<Misplaced>& pending) {
    for (const Misplaced& page : pending) {
      if ((page.last == not_tried && is_over()) || receipt_.ended) {
        receipt_.not_tried_bytes += page_bytes_;
      } else if (!request_.move_shared && page.last == -EACCES) {
        receipt_.kept_shared_bytes += page_bytes_;
      } else {
        receipt_.refused_bytes += page_bytes_;
        refuse(page);
      }
    }
  }

  void refuse(const Misplaced& page) {
    int last = page.last;
    if (last == not_tried && closed_.contains(page.target)) last = closed_.at(page.target);
    // A page that the kernel left without a word, or said to have moved, is as good as busy.
    if (last == not_tried || last >= 0) last = -EBUSY;
    const bool by_call = is_call_status(last);
    const auto [at, is_new] = refused_.try_emplace({page.target, last});
    if (by_call) last -= call_base;
    at->second.bytes += page_bytes_;
    if (!is_new) return;
    at->second.error =
        actuation::refusal(
            os_,
            {.call = by_call ? Call::move_pages : Call::page_move,
             .tried = fmt::format("cannot move some pages to node {}", page.target.value())},
            last)
            .take();
  }

  [[nodiscard]] std::size_t pages_at_once() const {
    if (!request_.rate_mibs) return batch_sizes[0];
    constexpr double share_of_a_second = 0.1;
    const double pages =
        *request_.rate_mibs * mebibyte * share_of_a_second / static_cast<double>(page_bytes_);
    return static_cast<std::size_t>(std::clamp(pages, 1.0, double{batch_sizes[0]}));
  }

  /// Waits until what has been tried is no more than the rate allows.
  void keep_rate() {
    if (!request_.rate_mibs) return;
    const double due = static_cast<double>(tried_bytes_) / (*request_.rate_mibs * mebibyte);
    const double elapsed = std::chrono::duration<double>(pace_.now() - started_).count();
    if (due <= elapsed) return;
    pace_.pause(std::chrono::nanoseconds(static_cast<std::int64_t>((due - elapsed) * 1e9)));
  }

  os::Os& os_;
  const Survey& survey_;
  const RepairRequest& request_;
  const os::Pace& pace_;
  const SayRepair& say_;
  RepairReceipt receipt_;
  std::uint64_t page_bytes_ = 4096;
  std::uint64_t unit_bytes_ = 4096;
  std::uint64_t present_bytes_ = 0;
  std::uint64_t tried_bytes_ = 0;
  std::size_t mappings_in_huge_units_ = 0;
  std::chrono::nanoseconds started_{};
  /// Targets that take no page, with what the kernel said.
  std::map<NodeId, int> closed_;
  std::map<std::pair<NodeId, int>, RefusedMove> refused_;
};

ThreadRepair repair_thread(os::Os& os, const sensing::ThreadFacts& thread, const CpuSet& cpus) {
  ThreadRepair repair{thread.id, thread.name, cpus};
  const auto note = [&](Call call, int result) {
    repair.ended = result == -ESRCH;
    if (repair.ended) return;
    repair.refusal =
        actuation::refusal(
            os,
            {.call = call,
             .tried = fmt::format("cannot bind thread {} to the CPUs {}", thread.id, to_list(cpus)),
             .cpus = cpus},
            result)
            .take();
  };
  if (const int result = os.sched_setaffinity(thread.id, cpus); result < 0) {
    note(Call::sched_setaffinity, result);
    return repair;
  }
  CpuSet now;
  if (const int result = os.sched_getaffinity(thread.id, now); result < 0) {
    note(Call::sched_getaffinity, result);
    return repair;
  }
  repair.bound = now == cpus;
  if (!repair.bound) {
    repair.refusal = failed(fmt::format("bound thread {} to {} instead of {}", thread.id,
                                        to_list(now), to_list(cpus)),
                            "the cpuset of the process does not allow the others")
                         .take();
  }
  return repair;
}

}  // namespace

Result<RepairReceipt> repair_pages(os::Os& os, const Survey& survey, const RepairRequest& request,
                                   const os::Pace& pace, const SayRepair& say) {
  // The rule itself may be wrong for every mapping: that is told before anything is moved.
  if (std::holds_alternative<placement::ExplicitRule>(request.rule.how) && !request.at) {
    return bad_usage("a page map applies to one mapping only", "name it with --at ADDRESS");
  }
  return PageRepair(os, survey, request, pace, say).run();
}

std::vector<ThreadRepair> repair_threads(os::Os& os, const Survey& survey,
                                         const placement::ThreadMap& map, bool dry_run) {
  std::vector<ThreadRepair> repairs;
  for (std::size_t rank = 0; rank < survey.threads.size(); ++rank) {
    const sensing::ThreadFacts& thread = survey.threads[rank];
    if (dry_run) {
      repairs.push_back({thread.id, thread.name, map.of(rank)});
    } else {
      repairs.push_back(repair_thread(os, thread, map.of(rank)));
    }
  }
  return repairs;
}

}  // namespace homenode::actuation
