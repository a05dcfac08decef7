// Which nodes a program that is about to start should get, from what they have idle now: what
// `numad -w` answers, for launchers and libvirt. Pure; serves `homenode balance --advise`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/id_set.h"
#include "base/result.h"
#include "base/units.h"
#include "machine/machine.h"

namespace homenode::balance {

struct Demand {
  double cpus = 0;
  Bytes memory;  ///< 0 where only CPUs are asked for.
};

/// What a node has left.
struct Room {
  NodeId node;
  double idle_cpus = 0;
  Bytes free;
};

struct Advice {
  NodeSet nodes;
  bool fits = false;  ///< False: not even all nodes have room, and these are all that have any.
  double idle_cpus = 0;
  Bytes free;
};

/// "CPUS" or "CPUS:MEMORY", MEMORY in MiB as numad has it, or a size with its unit ("4:8g").
/// Errors: bad_usage naming the part that is wrong.
Result<Demand> parse_demand(std::string_view text);

/// As few nodes as hold the demand. Grown from each node outward by distance; of equally many, the
/// set whose nodes are nearest to each other, then the one with most room to spare. Nodes without
/// the thing that is short are passed over. Distances that are not known count as equal.
Advice advise(const Demand& demand, const std::vector<Room>& rooms,
              const machine::Machine& machine);

/// Idle processors of each CPU between two texts of /proc/stat: 0 to 1 each, in the order of the
/// machine's nodes; CPUs that are in one text only, and time that went backwards, are busy.
std::vector<Room> rooms_between(std::string_view before, std::string_view after,
                                const machine::Machine& machine);

}  // namespace homenode::balance
