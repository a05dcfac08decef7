#include "balancer/migration_cost.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "actuation/move.h"

namespace homenode::balancer {
namespace {

constexpr std::size_t most_pages = 64;
constexpr int rounds = 3;

/// Memory of this process whose pages are moved to and fro.
class Pages {
 public:
  explicit Pages(os::Os& os) : os_(os) {
    const std::size_t bytes = most_pages * os.page_bytes();
    if (os.map_memory(bytes, memory_) != 0) return;
    if (os.populate_memory(memory_, bytes) != 0) return;
    for (std::size_t page = 0; page < most_pages; ++page) {
      pages_.push_back(static_cast<char*>(memory_) + page * os.page_bytes());
    }
  }
  ~Pages() {
    if (memory_ != nullptr) os_.unmap_memory(memory_, most_pages * os_.page_bytes());
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  [[nodiscard]] bool there() const { return !pages_.empty(); }
  /// The fastest of some moves of so many pages; nothing where the kernel refuses one.
  std::optional<double> time_ns(std::size_t count, NodeId a, NodeId b, const os::Pace& pace) {
    const auto some = std::span<void* const>(pages_).first(count);
    double fastest = 0;
    for (int round = 0; round < rounds; ++round) {
      if (actuation::move_batch(os_, 0, some, a) != 0) return std::nullopt;
      const auto start = pace.now();
      if (actuation::move_batch(os_, 0, some, b) != 0) return std::nullopt;
      const auto taken = static_cast<double>((pace.now() - start).count());
      if (round == 0 || taken < fastest) fastest = taken;
    }
    return fastest;
  }

 private:
  os::Os& os_;
  void* memory_ = nullptr;
  std::vector<void*> pages_;
};

/// Threads that keep CPUs busy as long as this lives.
class Busy {
 public:
  explicit Busy(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this] {
        while (!over_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~Busy() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

std::optional<MigrationCost> measure(Pages& pages, NodeId a, NodeId b, const os::Pace& pace) {
  const auto one = pages.time_ns(1, a, b, pace);
  const auto many = pages.time_ns(most_pages, a, b, pace);
  if (!one || !many) return std::nullopt;
  const double page = std::max(0.0, (*many - *one) / static_cast<double>(most_pages - 1));
  return MigrationCost{std::max(0.0, *one - page), page};
}

}  // namespace

MigrationCosts measure_migration(os::Os& os, const machine::Machine& machine,
                                 const os::Pace& pace) {
  MigrationCosts costs;
  const auto nodes = (machine.nodes_with_memory() & machine.allowed_nodes).to_vector();
  if (nodes.size() < 2) return costs;
  Pages pages(os);
  if (!pages.there()) return costs;
  const auto idle = measure(pages, nodes[0], nodes[1], pace);
  if (!idle) return costs;
  const std::size_t others = std::max<std::size_t>(machine.allowed_cpus.size(), 1) - 1;
  const Busy busy(others);
  const auto with_others = measure(pages, nodes[0], nodes[1], pace);
  if (!with_others) return costs;
  return {true, *idle, *with_others};
}

}  // namespace homenode::balancer
