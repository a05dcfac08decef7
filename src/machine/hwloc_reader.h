// Turns a loaded hwloc topology into a Machine, and hwloc's bitmaps into sets of ids. Internal to
// the machine room.
#pragma once

#include "base/id_list.h"
#include "base/id_set.h"
#include "base/result.h"
#include "machine/hwloc_source.h"
#include "machine/machine.h"

#include <hwloc.h>
#include <optional>

namespace homenode::machine {

/// `given` says where its matrices come from unless it says so itself. `allowed_*` are all CPUs and
/// nodes.
/// Errors: failed when the topology contradicts itself (`source` is named in the message).
Result<Machine> read_machine(hwloc_topology_t topology, Provenance given,
                             const std::string& source);

/// Narrows allowed_* to what the cpuset of this process and its CPU binding leave.
void apply_limits(hwloc_topology_t topology, Machine& machine);

/// The members of a bitmap (null = none); nothing when it is infinite or has an id above
/// max_list_id.
template <class IdType>
std::optional<IdSet<IdType>> to_set(hwloc_const_bitmap_t bitmap) {
  IdSet<IdType> set;
  if (bitmap == nullptr) return set;
  const int last = hwloc_bitmap_last(bitmap);
  if (hwloc_bitmap_weight(bitmap) < 0 || last > static_cast<int>(max_list_id)) return std::nullopt;
  for (int id = hwloc_bitmap_first(bitmap); id >= 0; id = hwloc_bitmap_next(bitmap, id)) {
    set.insert(IdType(static_cast<unsigned>(id)));
  }
  return set;
}

}  // namespace homenode::machine
