// MAP-numa: the patterns over a cube, stored plane by plane and row by row (Luo et al., NPC 2012,
// Fig. 1).
#pragma once

#include "workloads/map/patterns/pattern.h"

namespace homenode::workloads::map::patterns {

inline constexpr Pattern shared_along_x{
    .name = "3d-shared-x",
    .title = "3D shared along x",
    .meaning = "Every thread walks the whole cube, fastest along x.",
    .suits = suits_spread,
    .dimensions = 3,
};

inline constexpr Pattern shared_along_y{
    .name = "3d-shared-y",
    .title = "3D shared along y",
    .meaning = "Every thread walks the whole cube, fastest along y.",
    .suits = suits_spread,
    .dimensions = 3,
    .walk = along_y,
};

inline constexpr Pattern shared_along_z{
    .name = "3d-shared-z",
    .title = "3D shared along z",
    .meaning = "Every thread walks the whole cube, fastest along z.",
    .suits = suits_spread,
    .dimensions = 3,
    .walk = along_z,
};

inline constexpr Pattern slabs_z{
    .name = "3d-slabs-z",
    .title = "3D slabs across z",
    .meaning = "Each thread uses its own slab, contiguous in memory.",
    .suits = suits_parts,
    .dimensions = 3,
    .use = Use::boxes,
    .cut = across_z,
    .overlaps = true,
};

inline constexpr Pattern slabs_y{
    .name = "3d-slabs-y",
    .title = "3D slabs across y",
    .meaning = "Each thread uses its own rows of every plane.",
    .suits = suits_parts,
    .dimensions = 3,
    .use = Use::boxes,
    .cut = across_y,
    .overlaps = true,
};

inline constexpr Pattern slabs_x{
    .name = "3d-slabs-x",
    .title = "3D slabs across x",
    .meaning = "Each thread uses its own part of every row.",
    .suits = suits_wide_rows,
    .dimensions = 3,
    .use = Use::boxes,
    .cut = across_x,
    .overlaps = true,
};

inline constexpr Pattern pencils_x{
    .name = "3d-pencils-x",
    .title = "3D pencils along x",
    .meaning = "Each thread uses its own bundle of whole rows.",
    .suits = suits_parts,
    .dimensions = 3,
    .use = Use::boxes,
    .cut = {true, true, false},
    .overlaps = true,
};

inline constexpr Pattern pencils_y{
    .name = "3d-pencils-y",
    .title = "3D pencils along y",
    .meaning = "Each thread uses its own bar along y.",
    .suits = suits_wide_rows,
    .dimensions = 3,
    .use = Use::boxes,
    .cut = {true, false, true},
    .overlaps = true,
};

inline constexpr Pattern pencils_z{
    .name = "3d-pencils-z",
    .title = "3D pencils along z",
    .meaning = "Each thread uses its own bar across all planes.",
    .suits = suits_wide_rows,
    .dimensions = 3,
    .use = Use::boxes,
    .cut = {false, true, true},
    .overlaps = true,
};

inline constexpr Pattern blocks{
    .name = "3d-blocks",
    .title = "3D blocks",
    .meaning = "Each thread uses its own block of the cube.",
    .suits = suits_wide_rows,
    .dimensions = 3,
    .use = Use::boxes,
    .cut = {true, true, true},
    .overlaps = true,
};

}  // namespace homenode::workloads::map::patterns
