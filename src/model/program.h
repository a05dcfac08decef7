// A program as the models see it: how long each thread computes, and how many lines of each object
// it brings from memory and sends there. Pure; what `profile` finds becomes one of these.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/ids.h"

namespace homenode::model {

/// Cache lines between a thread and memory.
struct Lines {
  double reads = 0;
  double writes = 0;
  [[nodiscard]] double total() const { return reads + writes; }
  Lines& operator+=(const Lines& other) {
    reads += other.reads;
    writes += other.writes;
    return *this;
  }
  friend bool operator==(const Lines&, const Lines&) = default;
};

/// An array or allocation, in blocks of equally many pages; the last one may have fewer.
struct Object {
  std::string name;  ///< As a placement names the region.
  std::size_t pages = 1;
  std::size_t pages_per_block = 1;
  /// How many lines a thread has in flight: 1 where each address depends on the line before.
  double lines_in_flight = 1;
  /// The share of its lines that are asked for ahead of their use, as threads walk through it.
  double in_order = 0;
  /// Lines that follow one another, of which a thread uses all before it goes on elsewhere; 0: all.
  double walk_lines = 0;
  std::vector<Lines> uses;               ///< [thread * blocks() + block].
  std::vector<std::size_t> first_users;  ///< The thread that touches each block first, or empty.
  std::vector<NodeId> homes;             ///< Where each block was found, or empty.
  /// How many lines of the object each thread had used before its first one of each block, as
  /// `uses`; or empty. That of a block that it does not use counts for nothing.
  std::vector<double> used_before;

  [[nodiscard]] std::size_t blocks() const {
    return (pages + pages_per_block - 1) / pages_per_block;
  }
  /// Of one block: its first page and the one behind its last.
  [[nodiscard]] std::size_t first_page(std::size_t block) const { return block * pages_per_block; }
  [[nodiscard]] std::size_t end_page(std::size_t block) const {
    const std::size_t end = (block + 1) * pages_per_block;
    return end < pages ? end : pages;
  }
};

struct Program {
  std::vector<NodeId> node_of_thread;  ///< Where each thread was seen; one entry for each.
  std::vector<double> computing_s;     ///< Of each thread, without its misses; or empty.
  std::vector<Object> objects;
  bool independent = false;  ///< No thread waits for others on its way, as it does at barriers.
  unsigned line_bytes = 64;

  [[nodiscard]] std::size_t threads() const { return node_of_thread.size(); }
};

/// There is a thread; each vector has as many entries as its comment says, or none where it may be
/// empty; no number is negative; each object has a page, a name of its own and lines in flight,
/// and no share is above 1.
[[nodiscard]] bool is_valid(const Program& program);

}  // namespace homenode::model
