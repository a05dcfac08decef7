// The daemon stress test: which moves of pages were to any avail. Pure: from samples of where pages
// and threads are, and from who uses which page, which the pattern says exactly.
//
// A page has moved when a sample finds it on another node than the sample before; several moves
// between two samples show as one, so the counts are lower bounds. A move is judged by the time
// from the sample that shows it until the page moves again, or until the end: in every sample of
// that time, how far the page is from each thread that uses it, against how far it would be where
// it came from, with the threads wherever that sample finds them. The sum decides:
//   nearer   less far in sum: the move helped;
//   same     no difference, as for a page that nobody uses;
//   farther  more far in sum.
// A move is useless when it is not `nearer`.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace homenode::workloads::stress {

/// One look at the program.
struct Sample {
  double seconds = 0.0;  ///< Since the cycles began.
  /// By page of the sample; nothing where the kernel did not say.
  std::vector<std::optional<NodeId>> node_of_page;
  std::vector<NodeId> node_of_thread;
};

/// What does not change.
struct Uses {
  std::vector<std::size_t> block_of_page;             ///< By page of the sample.
  std::vector<std::vector<unsigned>> users_of_block;  ///< Threads.
  /// How far a page on the second node is for a thread on the first.
  std::function<double(NodeId thread, NodeId page)> distance;
};

struct MoveCounts {
  std::size_t pages_moved = 0;  ///< Pages that moved at least once.
  std::size_t nearer = 0;
  std::size_t same = 0;
  std::size_t farther = 0;

  [[nodiscard]] std::size_t moves() const { return nearer + same + farther; }
  [[nodiscard]] std::size_t useless() const { return same + farther; }
  friend bool operator==(const MoveCounts&, const MoveCounts&) = default;
};

/// pre: all samples have the same pages and threads.
MoveCounts count_moves(const std::vector<Sample>& samples, const Uses& uses);

/// The share of uses, by (thread, page that it uses), whose page is on the thread's node; pages on
/// no known node count as remote. 0 where nothing is used.
double local_share(const Sample& sample, const Uses& uses);

}  // namespace homenode::workloads::stress
