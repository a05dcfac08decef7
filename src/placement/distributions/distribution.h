// Which node each page of a region goes to. Pure functions of (pages, nodes); one file per
// distribution, one table of them (distribution_table.h). Serves placement and actuation.
//
// M is the number of nodes, and b the number of a block: page / pages_per_block. Nodes count in the
// order given: putting them in another order puts the map's nodes in that order and changes nothing
// else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace homenode::placement {

/// node[i] is where page i of a region goes.
using PageMap = std::vector<NodeId>;

/// Contiguous: M parts whose sizes differ by at most one page, in the order of `nodes`.
/// pre: nodes is not empty.
PageMap block(std::size_t pages, std::span<const NodeId> nodes);

/// Round-robin in units of `pages_per_block`: block b on nodes[b mod M].
/// pre: nodes is not empty, pages_per_block > 0.
PageMap cyclic(std::size_t pages, std::span<const NodeId> nodes, std::size_t pages_per_block = 1);

/// Round-robin that shifts by one in each round: block b on nodes[(b + b/M + 1) mod M]. Walks whose
/// stride divides M blocks, which meet one node under `cyclic`, meet all of them.
/// pre: as for cyclic.
PageMap skew(std::size_t pages, std::span<const NodeId> nodes, std::size_t pages_per_block = 1);

/// How a prime number of virtual nodes is dealt out.
struct PrimeDeal {
  std::uint64_t prime = 2;  ///< P >= M; nothing here needs it to be prime, only its purpose does.
  std::size_t pages_per_block = 1;
};
/// Round-robin over P virtual nodes. r = b mod P: the first M are the nodes themselves; blocks of
/// the others are dealt out round-robin, nodes[((b/P)(P - M) + r - M) mod M]. Each M P blocks are
/// exactly balanced, and no prefix is off by more than two blocks. pre: as for cyclic; prime >= M.
PageMap prime(std::size_t pages, std::span<const NodeId> nodes, PrimeDeal deal);

/// The smallest prime above `number`. pre: number < 2^32.
std::uint64_t prime_above(std::uint64_t number);
bool is_prime(std::uint64_t number);

/// How chance is made repeatable.
struct RandomDeal {
  std::uint64_t seed = 0;
  std::size_t pages_per_block = 1;
};
/// A random order of as many blocks for each node, give or take one: a Fisher-Yates shuffle driven
/// by splitmix64, the same on every machine for one seed. Which nodes get the blocks that are left
/// over is random too. pre: as for cyclic.
PageMap random(std::size_t pages, std::span<const NodeId> nodes, RandomDeal deal);

/// In proportion to one weight a node, spread evenly: after any p pages a node with weight w of W
/// has p w/W of them, rounded up or down. pre: as many weights as nodes, each at most
/// largest_weight, not all of them 0.
PageMap weighted(std::size_t pages, std::span<const NodeId> nodes,
                 std::span<const std::uint64_t> weights);
inline constexpr std::uint64_t largest_weight = 65535;

/// A part of a map that is given run by run.
struct Run {
  std::size_t pages = 0;
  NodeId node;
  friend bool operator==(const Run&, const Run&) = default;
};
/// The runs one after the other. Errors: bad_usage when the runs do not add up to `pages`.
Result<PageMap> explicit_map(std::size_t pages, std::span<const Run> runs);

}  // namespace homenode::placement
