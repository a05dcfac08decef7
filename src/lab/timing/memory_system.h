// Everything beyond the private caches: last-level caches, other vCPUs' modified lines, links and
// memory controllers. Says how long a line takes, and makes everybody who shares something wait
// for it. Shared by all vCPUs; thread safe unless said otherwise.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "lab/timing/capacity.h"
#include "lab/timing/directory.h"
#include "lab/timing/shared_cache.h"
#include "lab/timing/timing_model.h"

namespace homenode::lab {

/// Where a line came from.
enum class Source { own_copy, last_level, other_cache, memory };

struct LineRequest {
  unsigned vcpu = 0;
  std::uint64_t line = 0;
  unsigned home = 0;       ///< The node (position) that the line lies on.
  bool exclusive = false;  ///< To be written.
  bool has_copy = false;   ///< A private cache has the present version.
  std::uint64_t time_ps = 0;
};

struct LineAnswer {
  std::uint64_t latency_ps = 0;
  Source source = Source::memory;
  LineState state;  ///< The line's state with this request granted.
};

/// Lines that one vCPU moved from and to memory, by node.
struct MemoryTraffic {
  std::vector<std::uint64_t> reads;
  std::vector<std::uint64_t> writes;
};

class MemorySystem {
 public:
  /// `home_of(line)` is the position of the node that a physical line lies on.
  MemorySystem(const TimingModel& model, Directory directory,
               std::function<unsigned(std::uint64_t line)> home_of);

  [[nodiscard]] Directory::Entry& entry(std::uint64_t line) { return directory_[line]; }
  [[nodiscard]] bool knows(std::uint64_t line) const { return line < directory_.lines(); }

  /// Says that a line's entry is needed soon: it lies in the host's memory, as a rule.
  void prefetch(std::uint64_t line) const { __builtin_prefetch(&directory_[line], 1); }

  /// Brings a line to a vCPU's private caches.
  LineAnswer fetch(const LineRequest& request);
  /// A private cache lets go of a line: a modified one goes on to the last level or to memory.
  void push_out(unsigned vcpu, Tag tag, std::uint64_t time_ps);
  /// Writes a whole line past the caches. Returns the time until it is in memory.
  std::uint64_t write_past(const LineRequest& request);

  /// One vCPU's; pre: only its own thread writes, others read while it stands still.
  [[nodiscard]] const MemoryTraffic& traffic(unsigned vcpu) const { return traffic_[vcpu]; }

  struct ControllerUse {
    std::uint64_t read_lines = 0;
    std::uint64_t written_lines = 0;
    std::uint64_t busy_ps = 0;
  };
  struct LinkUse {
    unsigned from = 0;
    unsigned to = 0;
    std::uint64_t lines = 0;
    std::uint64_t busy_ps = 0;
    bool shared = false;
  };
  [[nodiscard]] ControllerUse controller(unsigned node) const;
  /// Pairs and shared links that had traffic.
  [[nodiscard]] std::vector<LinkUse> links() const;

  /// All caches and queues empty. pre: no vCPU runs.
  void clear();

 private:
  /// A capacity and how long a line occupies it.
  struct Way {
    Capacity* capacity = nullptr;
    std::uint64_t line_ps = 0;
  };
  /// What a line passes between a node with CPUs and a node with memory.
  struct Path {
    std::uint64_t latency_ps = 0;
    std::vector<Way> read;
    std::vector<Way> write;
    bool limited = false;  ///< The pair has limits of its own: the first of each of the above.
  };

  Way way(std::uint64_t mibs);
  void add_route(Path& path, const PairTiming& pair);
  [[nodiscard]] Path& path(unsigned vcpu, unsigned home) {
    return paths_[model_.vcpu_nodes[vcpu] * model_.nodes.size() + home];
  }
  static std::uint64_t pass(const std::vector<Way>& ways, std::uint64_t time_ps, unsigned vcpu);
  void write_memory(unsigned vcpu, std::uint64_t line, std::uint64_t time_ps);
  bool look_in_last_level(const LineRequest& request, LineState old);
  std::uint64_t from_other_cache(const LineRequest& request, unsigned holder);
  void keep(unsigned vcpu, Tag tag, bool modified, std::uint64_t time_ps);

  const TimingModel& model_;
  Directory directory_;
  std::function<unsigned(std::uint64_t)> home_of_;
  std::deque<Capacity> capacities_;
  std::vector<Path> paths_;
  std::vector<Way> controller_reads_;
  std::vector<Way> controller_writes_;
  std::vector<Way> link_ways_;
  std::deque<SharedCache> last_levels_;
  std::vector<SharedCache*> last_level_of_;  ///< By vCPU; null: none.
  std::vector<MemoryTraffic> traffic_;
};

}  // namespace homenode::lab
