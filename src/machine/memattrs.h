// hwloc's memory attributes as matrices between nodes, and back. Internal to the machine room.
#pragma once

#include <hwloc.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace homenode::machine {

/// Before the name of an attribute: the info that says where its values come from. The text is
/// provenance_name()'s.
inline constexpr std::string_view provenance_prefix = "homenode:Provenance.";
/// What stands for the distances there.
inline constexpr std::string_view distances_word = "Distances";

/// The matrices that the topology holds, in the order of MatrixKind; none for a kind without any
/// value. `given` is where they come from when no info of the topology says so. Where several
/// initiators of a target hold a node's CPUs, the narrowest speaks for it.
std::vector<PairValues> read_pair_values(hwloc_topology_t topology, const Machine& machine,
                                         Provenance given);

/// The source of a figure by its info, or `given`.
Provenance provenance_in(hwloc_topology_t topology, std::string_view what, Provenance given);

/// Puts matrices and their provenance into a topology that holds none of their kinds. Values are
/// rounded to whole numbers, as hwloc holds them. Errors: failed when hwloc refuses a value.
Result<void> write_pair_values(hwloc_topology_t topology, const std::vector<PairValues>& matrices,
                               const Machine& machine);

/// hwloc's XML without the attributes of these kinds and what says where they come from. hwloc has
/// no call that takes an attribute away, and setting one of a node changes that of a wider
/// initiator instead.
std::string without_pair_values(std::string xml, const std::vector<PairValues>& matrices);

}  // namespace homenode::machine
