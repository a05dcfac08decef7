#include "workloads/stress/moves.h"

namespace homenode::workloads::stress {
namespace {

/// A move whose judgement is still open.
struct OpenMove {
  NodeId from;
  NodeId to;
  double gain = 0.0;  ///< How much less far the page has been for its users.
};

double distance_to_users(const Sample& sample, const Uses& uses, std::size_t page, NodeId node) {
  double sum = 0.0;
  for (unsigned user : uses.users_of_block[uses.block_of_page[page]]) {
    sum += uses.distance(sample.node_of_thread[user], node);
  }
  return sum;
}

void judge(const OpenMove& move, MoveCounts& counts) {
  if (move.gain > 0.0) {
    counts.nearer += 1;
  } else if (move.gain < 0.0) {
    counts.farther += 1;
  } else {
    counts.same += 1;
  }
}

}  // namespace

MoveCounts count_moves(const std::vector<Sample>& samples, const Uses& uses) {
  MoveCounts counts;
  for (std::size_t page = 0; page < uses.block_of_page.size(); ++page) {
    std::optional<NodeId> node;
    std::optional<OpenMove> move;
    for (const Sample& sample : samples) {
      const std::optional<NodeId> seen = sample.node_of_page[page];
      if (seen && node && *seen != *node) {
        if (move) judge(*move, counts);
        if (!move) counts.pages_moved += 1;
        move = OpenMove{*node, *seen};
      }
      if (seen) node = seen;
      if (move) {
        move->gain += distance_to_users(sample, uses, page, move->from) -
                      distance_to_users(sample, uses, page, move->to);
      }
    }
    if (move) judge(*move, counts);
  }
  return counts;
}

double local_share(const Sample& sample, const Uses& uses) {
  std::size_t all = 0;
  std::size_t local = 0;
  for (std::size_t page = 0; page < uses.block_of_page.size(); ++page) {
    for (unsigned user : uses.users_of_block[uses.block_of_page[page]]) {
      all += 1;
      if (sample.node_of_page[page] == sample.node_of_thread[user]) local += 1;
    }
  }
  return all == 0 ? 0.0 : static_cast<double>(local) / static_cast<double>(all);
}

}  // namespace homenode::workloads::stress
