// hwloc's bitmaps as sets of ids. Internal to the machine room.
#pragma once

#include <hwloc.h>

#include <optional>

#include "base/id_list.h"
#include "base/id_set.h"

namespace homenode::machine {

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
