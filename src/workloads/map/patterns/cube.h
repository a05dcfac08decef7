// MAP-numa: the patterns over a cube, stored plane by plane and row by row (Luo et al., NPC 2012,
// Fig. 1).
#pragma once

#include "workloads/map/patterns/pattern.h"

namespace homenode::workloads::map::patterns {

inline constexpr Pattern shared_along_x = everybody(
    "3d-shared-x", "3D shared along x", "Every thread walks the whole cube, fastest along x.", 3);

inline constexpr Pattern shared_along_y =
    everybody("3d-shared-y", "3D shared along y",
              "Every thread walks the whole cube, fastest along y.", 3, along_y);

inline constexpr Pattern shared_along_z =
    everybody("3d-shared-z", "3D shared along z",
              "Every thread walks the whole cube, fastest along z.", 3, along_z);

inline constexpr Pattern slabs_z =
    boxes("3d-slabs-z", "3D slabs across z", "Each thread uses its own slab, contiguous in memory.",
          suits_parts, 3, across_z);

inline constexpr Pattern slabs_y =
    boxes("3d-slabs-y", "3D slabs across y", "Each thread uses its own rows of every plane.",
          suits_parts, 3, across_y);

inline constexpr Pattern slabs_x =
    boxes("3d-slabs-x", "3D slabs across x", "Each thread uses its own part of every row.",
          suits_wide_rows, 3, across_x);

inline constexpr Pattern pencils_x =
    boxes("3d-pencils-x", "3D pencils along x", "Each thread uses its own bundle of whole rows.",
          suits_parts, 3, {true, true, false});

inline constexpr Pattern pencils_y =
    boxes("3d-pencils-y", "3D pencils along y", "Each thread uses its own bar along y.",
          suits_wide_rows, 3, {true, false, true});

inline constexpr Pattern pencils_z =
    boxes("3d-pencils-z", "3D pencils along z", "Each thread uses its own bar across all planes.",
          suits_wide_rows, 3, {false, true, true});

inline constexpr Pattern blocks =
    boxes("3d-blocks", "3D blocks", "Each thread uses its own block of the cube.", suits_wide_rows,
          3, {true, true, true});

}  // namespace homenode::workloads::map::patterns
