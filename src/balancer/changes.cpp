#include "balancer/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "actuation/move.h"
#include "actuation/refusal.h"
#include "base/id_list.h"
#include "base/words.h"
#include "sensing/thread_files.h"

namespace homenode::balancer {
namespace {

using actuation::Call;

Error cannot_bind(os::Os& os, Call call, const TaskKey& thread, const CpuSet& cpus, int result) {
  return actuation::refusal(os,
                            {.call = call,
                             .tried = fmt::format("cannot bind thread {} to the CPUs {}", thread.id,
                                                  to_list(cpus)),
                             .cpus = cpus},
                            result)
      .take();
}

std::optional<std::uint64_t> started(const sensing::SystemFiles& files, const std::string& stat) {
  std::string text;
  if (files.read(stat, text) < 0) return std::nullopt;
  const auto parsed = sensing::parse_stat(text);
  if (!parsed || parsed->ended) return std::nullopt;
  return parsed->started;
}

/// Pages that are on another node than `target`, and where.
struct Misplaced {
  std::vector<void*> pages;
  std::vector<NodeId> nodes;
};

/// 0 or the -errno of the query.
int find_misplaced(os::Os& os, pid_t pid, std::span<const sensing::PageRange> ranges, NodeId target,
                   std::uint64_t most, Misplaced& found) {
  std::vector<void*> pages;
  for (const sensing::PageRange& range : ranges) {
    const std::vector<void*> more = sensing::addresses_of(range);
    pages.insert(pages.end(), more.begin(), more.end());
  }
  std::vector<int> status;
  if (const int result = sensing::query_pages(os, pid, pages, status); result < 0) return result;
  for (std::size_t i = 0; i < pages.size() && found.pages.size() < most; ++i) {
    if (status[i] < 0 || status[i] == static_cast<int>(target.value())) continue;
    found.pages.push_back(pages[i]);
    found.nodes.emplace_back(static_cast<unsigned>(status[i]));
  }
  return 0;
}

std::uint64_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Whether the address comes next in the run; the second of a run says how far its pages lie apart.
bool goes_on(PageChange& run, std::uint64_t address) {
  constexpr std::uint64_t most_apart = 1024;
  if (run.pages == 1) {
    const std::uint64_t apart = (address - run.first) / run.page_size.value;
    if (address <= run.first || apart > most_apart) return false;
    run.stride = apart;
  }
  return run.first + run.pages * run.stride * run.page_size.value == address;
}

/// The pages of `found` that `keep` names, as runs from one node.
template <class Keep>
std::vector<PageChange> runs_of(const TaskKey& process, const Misplaced& found, Bytes page_size,
                                NodeId target, const Keep& keep) {
  std::vector<PageChange> runs;
  for (std::size_t i = 0; i < found.pages.size(); ++i) {
    if (!keep(i)) continue;
    const std::uint64_t address = number(found.pages[i]);
    if (!runs.empty() && runs.back().from == found.nodes[i] && goes_on(runs.back(), address)) {
      ++runs.back().pages;
    } else {
      runs.push_back({process, address, page_size, 1, found.nodes[i], target});
    }
  }
  return runs;
}

void count_pages(const std::vector<int>& status, NodeId target, MoveReceipt& receipt) {
  for (const int node : status) {
    if (node == static_cast<int>(target.value())) {
      ++receipt.moved;
    } else {
      ++(node < 0 ? receipt.vanished : receipt.refused);
    }
  }
}

}  // namespace

std::map<NodeId, std::vector<sensing::PageRange>> ranges_by_node(
    std::span<const balance::PageMove> moves) {
  std::map<NodeId, std::vector<sensing::PageRange>> ranges;
  for (const balance::PageMove& move : moves) {
    const std::uint64_t pages = move.bytes / move.page_size.value;
    const std::uint64_t stride = move.home.size();
    for (std::uint64_t i = 0; i < std::min(pages, stride); ++i) {
      const std::uint64_t first = move.first + i * move.page_size.value;
      ranges[balance::node_of(move.home, first, move.page_size)].push_back(
          {first, (pages - i + stride - 1) / stride, move.page_size, stride});
    }
  }
  return ranges;
}

bool Changes::lives(const TaskKey& process) const {
  return started(files_, fmt::format("/proc/{}/stat", process.id)) == process.started;
}

bool Changes::lives(const TaskKey& process, const TaskKey& thread) const {
  return started(files_, fmt::format("/proc/{}/task/{}/stat", process.id, thread.id)) ==
         thread.started;
}

const ThreadChange* Changes::change_of(const TaskKey& thread) const {
  const auto found = std::ranges::find(journal_.threads, thread, &ThreadChange::thread);
  return found == journal_.threads.end() ? nullptr : &*found;
}

Result<bool> Changes::bind(const TaskKey& process, const TaskKey& thread, const CpuSet& cpus) {
  if (!lives(process, thread)) return false;
  CpuSet now;
  int result = files_.os.sched_getaffinity(thread.id, now);
  if (result == -ESRCH || now == cpus) return false;
  if (result < 0) {
    return Unexpected(cannot_bind(files_.os, Call::sched_getaffinity, thread, cpus, result));
  }
  const std::vector<ThreadChange> old = journal_.threads;
  auto change = std::ranges::find(journal_.threads, thread, &ThreadChange::thread);
  if (change == journal_.threads.end()) {
    journal_.threads.push_back({process, thread, now, {}});
    change = journal_.threads.end() - 1;
  }
  change->after = {now, cpus};
  if (auto saved = save(); !saved) {
    journal_.threads = old;
    return saved.as_unexpected();
  }
  result = files_.os.sched_setaffinity(thread.id, cpus);
  if (result == 0) return true;
  journal_.threads = old;
  // The file still names a change that never came: undoing it changes nothing.
  if (const auto saved = save(); !saved && result == -ESRCH) return saved.as_unexpected();
  if (result == -ESRCH) return false;
  return Unexpected(cannot_bind(files_.os, Call::sched_setaffinity, thread, cpus, result));
}

void Changes::move_batch(const TaskKey& process, std::span<void* const> pages, NodeId target,
                         MoveReceipt& receipt) {
  const int result = actuation::move_batch(files_.os, process.id, pages, target);
  receipt.ended = receipt.ended || result == -ESRCH;
  if (result >= 0 || result == -ESRCH) return;
  receipt.refusals.push_back(
      actuation::refusal(files_.os,
                         {.call = Call::move_pages,
                          .tried = fmt::format("cannot move pages of process {} to node {}",
                                               process.id, target.value())},
                         result)
          .take());
}

Result<MoveReceipt> Changes::move(const TaskKey& process,
                                  std::span<const sensing::PageRange> ranges, NodeId target,
                                  std::uint64_t most) {
  MoveReceipt receipt;
  receipt.ended = !lives(process);
  if (receipt.ended || ranges.empty()) return receipt;
  Misplaced found;
  const int result = find_misplaced(files_.os, process.id, ranges, target, most, found);
  receipt.ended = result == -ESRCH;
  if (receipt.ended) return receipt;
  if (result < 0) {
    return actuation::refusal(
        files_.os,
        {.call = Call::move_pages,
         .tried = fmt::format("cannot find out where the pages of process {} are", process.id)},
        result);
  }
  receipt.planned = found.pages.size();
  if (found.pages.empty()) return receipt;
  const std::size_t before = journal_.pages.size();
  const Bytes page_size = ranges.front().page_size;
  const auto all = runs_of(process, found, page_size, target, [](std::size_t) { return true; });
  journal_.pages.insert(journal_.pages.end(), all.begin(), all.end());
  if (auto saved = save(); !saved) {
    journal_.pages.resize(before);
    return saved.as_unexpected();
  }
  for (std::size_t start = 0; start < found.pages.size(); start += pages_of_a_call) {
    const std::size_t count = std::min(pages_of_a_call, found.pages.size() - start);
    move_batch(process, std::span(found.pages).subspan(start, count), target, receipt);
    if (receipt.ended || !receipt.refusals.empty()) break;
  }
  std::vector<int> status;
  // Where they cannot be asked for, the journal keeps all: undoing looks where they are.
  if (sensing::query_pages(files_.os, process.id, found.pages, status) < 0) return receipt;
  journal_.pages.resize(before);
  const auto is_there = [&](std::size_t i) {
    return status[i] == static_cast<int>(target.value());
  };
  const auto moved = runs_of(process, found, page_size, target, is_there);
  journal_.pages.insert(journal_.pages.end(), moved.begin(), moved.end());
  count_pages(status, target, receipt);
  if (auto saved = save(); !saved) receipt.refusals.push_back(saved.error());
  return receipt;
}

Result<bool> Changes::stop_kernel_balancing() {
  std::string was;
  if (files_.read(kernel_balancing_file, was) < 0) return false;
  was = trimmed(was.substr(0, was.find('\n')));
  if (was == "0") return false;
  journal_.kernel_balancing = was;
  if (auto saved = save(); !saved) {
    journal_.kernel_balancing.reset();
    return saved.as_unexpected();
  }
  const int result = files_.os.write_file(files_.root + kernel_balancing_file, "0\n");
  if (result == 0) return true;
  journal_.kernel_balancing.reset();
  if (auto saved = save(); !saved) return saved.as_unexpected();
  return not_supported("cannot switch the kernel's balancing off",
                       "run it as root, or leave it on with --kernel-balancing leave", -result);
}

}  // namespace homenode::balancer
