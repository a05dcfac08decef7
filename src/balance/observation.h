// What one window saw of one process: who ran where, and which thread used which piece of memory.
// The input of step.h. Values only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/id_set.h"
#include "base/units.h"

namespace homenode::balance {

/// A process or thread: numbers are used again, but not with the same start.
struct TaskKey {
  pid_t id = 0;
  std::uint64_t started = 0;  ///< In clock ticks since the system started.
  friend auto operator<=>(const TaskKey&, const TaskKey&) = default;
};

struct Thread {
  TaskKey key;
  NodeId node;          ///< Of the CPU that it ran on last.
  double cpus = 0;      ///< Its processor time over the window's length.
  CpuSet allowed;       ///< What it may run on now.
  std::string why_not;  ///< Why it is left alone; empty: it may be bound.
};

inline constexpr std::uint64_t region_bytes = std::uint64_t{2} << 20U;

/// A small page that was seen in use.
struct Page {
  std::uint64_t address = 0;
  NodeId node;                     ///< Where it is.
  std::map<TaskKey, double> uses;  ///< Samples of each thread.
};

/// A piece of memory that is decided on as a whole: of region_bytes, a huge page, or a small one of
/// a region whose pages belong to several nodes' threads.
struct Region {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
  Bytes page_size;
  std::map<NodeId, std::uint64_t> pages;  ///< Where those that are present are.
  /// Samples of each thread: times that it was seen to use the region.
  std::map<TaskKey, double> uses;
  std::string why_not;                ///< Why it is left alone; empty: it may be moved.
  std::vector<Page> used_pages = {};  ///< By address; none where pages are huge.
  bool is_split_off = false;          ///< A page of a region whose pages are decided on one by one.
  bool is_whole = false;  ///< It may be a transparent huge page, of which no part moves alone.
};

struct Observation {
  TaskKey process;
  std::string name;
  std::string why_not;  ///< Why the whole process is left alone.
  double age_s = 0;
  double window_s = 0;
  double cpus = 0;  ///< Processor time of all threads over the window's length.
  Bytes resident;
  CpuSet cpuset;
  NodeSet memory;  ///< Nodes whose memory it may use.
  std::vector<Thread> threads;
  std::vector<Region> regions;     ///< Empty where the window looked at no addresses.
  std::string source;              ///< Of the samples; empty where none were taken.
  std::string source_misses = {};  ///< What that source cannot see.
  /// Sources that see more, and why each does not work here.
  std::vector<std::pair<std::string, std::string>> better_sources = {};
  /// Pages on each node, as far as they can be moved: what is known without samples.
  std::map<NodeId, std::uint64_t> pages;
  std::map<NodeId, Bytes> free;  ///< Of the machine.
};

}  // namespace homenode::balance
