#include "model/steps.h"

#include <algorithm>
#include <cstddef>

namespace homenode::model {
namespace {

constexpr std::size_t most_steps = 64;
constexpr std::size_t fewest_steps = 8;
/// Of all uses of the pages that a thread uses, what it makes where they are its own.
constexpr double own_pages = 0.9;
/// Of all threads together: every step of one costs time.
constexpr std::size_t steps_of_all = 2048;

/// One thread's walk through one object: the node that each step's lines lie on.
class Walk {
 public:
  Walk(const Object& object, const std::vector<NodeShares>& homes, std::size_t thread)
      : object_(object), homes_(homes), first_(thread * object.blocks()) {
    double everybodys = 0;
    for (std::size_t block = 0; block < object.blocks(); ++block) {
      all_ += uses(block);
      if (uses(block).total() == 0) continue;
      for (std::size_t at = block; at < object.uses.size(); at += object.blocks()) {
        everybodys += object.uses[at].total();
      }
    }
    drifts_ = object.uses.size() > object.blocks() && all_.total() >= own_pages * everybodys;
    if (!homes.empty()) owed_.assign(homes.front().size(), 0);
  }

  [[nodiscard]] const Lines& all() const { return all_; }

  /// Whether one node has all that the thread uses, or the thread uses it in no order, or in one
  /// that no other thread keeps it to.
  [[nodiscard]] bool is_even() const {
    if (object_.lines_in_flight < in_order_from || drifts_) return true;
    const NodeShares* known = nullptr;
    for (std::size_t block = 0; block < object_.blocks(); ++block) {
      if (uses(block).total() == 0) continue;
      if (known != nullptr && homes_[block] != *known) return false;
      known = &homes_[block];
    }
    return known == nullptr || *std::max_element(known->begin(), known->end()) == 1;
  }

  /// Goes on by `lines` lines. Returns the position of the node that is owed most of them: over
  /// several steps each node gets what lies on it. Of equals the one at which the step began.
  std::size_t next(double lines) {
    const std::size_t begin = current_node();
    for (double left = lines; left > 0 && block_ < object_.blocks();) {
      const double here = std::min(left, uses(block_).total() - used_);
      for (std::size_t node = 0; node < owed_.size(); ++node) {
        owed_[node] += here * homes_[block_][node];
      }
      left -= here;
      used_ += here;
      if (used_ >= uses(block_).total()) {
        ++block_;
        used_ = 0;
      }
    }
    std::size_t most = begin;
    for (std::size_t node = 0; node < owed_.size(); ++node) {
      if (owed_[node] > owed_[most] * (1 + 1e-9)) most = node;
    }
    owed_[most] -= lines;
    return most;
  }

 private:
  [[nodiscard]] const Lines& uses(std::size_t block) const { return object_.uses[first_ + block]; }

  [[nodiscard]] std::size_t current_node() const {
    if (block_ >= object_.blocks()) return 0;
    const NodeShares& shares = homes_[block_];
    return static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) -
                                    shares.begin());
  }

  const Object& object_;
  const std::vector<NodeShares>& homes_;
  std::size_t first_;
  Lines all_;
  bool drifts_ = false;  ///< There are other threads, which use other pages.
  std::size_t block_ = 0;
  double used_ = 0;
  std::vector<double> owed_;
};

void add(ThreadDemand& step, const Rates& rates, std::size_t node, const Lines& lines,
         double in_flight) {
  step.lines[node] += lines;
  if (!rates.latency_s) return;
  const double latency = rates.latency_s->at(step.node, rates.memory_nodes[node]);
  step.waiting_s[node] += lines.total() * latency / in_flight;
}

/// All steps of a thread, of which `demand` is the sum.
std::vector<ThreadDemand> steps_of_thread(const Rates& rates, const Program& program,
                                          const Layout& layout, std::size_t thread,
                                          const ThreadDemand& demand, std::size_t count) {
  std::vector<Walk> walks;
  bool even = true;
  for (std::size_t index = 0; index < program.objects.size(); ++index) {
    walks.emplace_back(program.objects[index], layout.homes[index], thread);
    even = even && walks.back().is_even();
  }
  if (even) return {demand};
  const double share = 1.0 / static_cast<double>(count);
  ThreadDemand blank = demand;
  blank.computing_s *= share;
  std::fill(blank.lines.begin(), blank.lines.end(), Lines{});
  std::fill(blank.waiting_s.begin(), blank.waiting_s.end(), 0.0);
  std::vector<ThreadDemand> steps(count, blank);
  for (std::size_t index = 0; index < walks.size(); ++index) {
    Walk& walk = walks[index];
    if (walk.all().total() == 0) continue;
    const Object& object = program.objects[index];
    const Lines part{walk.all().reads * share, walk.all().writes * share};
    if (walk.is_even()) {
      const auto lines = lines_by_node(object, layout.homes[index], thread, blank.lines.size());
      for (ThreadDemand& step : steps) {
        for (std::size_t node = 0; node < lines.size(); ++node) {
          const Lines some{lines[node].reads * share, lines[node].writes * share};
          add(step, rates, node, some, object.lines_in_flight);
        }
      }
      continue;
    }
    for (ThreadDemand& step : steps) {
      add(step, rates, walk.next(part.total()), part, object.lines_in_flight);
    }
  }
  return steps;
}

}  // namespace

std::vector<std::vector<ThreadDemand>> steps_of(const Rates& rates, const Program& program,
                                                const Layout& layout) {
  const std::vector<ThreadDemand> demands = demands_of(rates, program, layout);
  const std::size_t count = std::clamp(steps_of_all / demands.size(), fewest_steps, most_steps);
  std::vector<std::vector<ThreadDemand>> all;
  for (std::size_t thread = 0; thread < demands.size(); ++thread) {
    all.push_back(steps_of_thread(rates, program, layout, thread, demands[thread], count));
  }
  return all;
}

}  // namespace homenode::model
