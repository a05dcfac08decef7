// The daemon stress test of De Santis' study of numad: which thread uses whose memory. Every thread
// owns a block, which starts out on the thread's own node, and works on blocks of other nodes.
// Pure: nodes are counted from 0 here, threads and their blocks node by node.
#pragma once

#include <cstdint>
#include <vector>

namespace homenode::workloads::stress {

enum class Pattern {
  neighbour,  ///< "1": the i-th thread of a node uses the i-th block of the node's target.
  random,     ///< As neighbour, but any block of the target, by chance.
  shared,     ///< "2": every thread uses all blocks of the target, which two nodes have in common.
};

/// The node whose memory the threads of each node use: the next one; for `shared` two after the
/// first of a pair, (2g + 2) mod nodes for the nodes 2g and 2g + 1. pre: nodes > 0.
std::vector<unsigned> default_targets(Pattern pattern, unsigned nodes);

/// Who works where.
struct Team {
  std::vector<unsigned> threads_on_node;  ///< As many as the node's blocks.
  std::vector<unsigned> targets;          ///< target[node], with one entry per node.

  [[nodiscard]] unsigned threads() const;
  /// The first thread, and block, of each node.
  [[nodiscard]] std::vector<unsigned> first_of_node() const;
  /// The start node of each thread, and of its block.
  [[nodiscard]] std::vector<unsigned> node_of_thread() const;
};

/// blocks[thread]: the blocks that it uses in every cycle. Where the target has fewer blocks than
/// there are threads, the threads past them begin again at its first.
/// pre: targets are nodes; every target has a thread.
std::vector<std::vector<unsigned>> blocks_of_threads(const Team& team, Pattern pattern,
                                                     std::uint64_t seed);

/// users[block]: the threads that use it, the inverse of the above.
std::vector<std::vector<unsigned>> users_of_blocks(
    const std::vector<std::vector<unsigned>>& blocks_of_thread);

}  // namespace homenode::workloads::stress
