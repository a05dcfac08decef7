// MAP-numa: the patterns over a matrix, stored row by row (Luo et al., NPC 2012, Fig. 1).
#pragma once

#include "workloads/map/patterns/pattern.h"

namespace homenode::workloads::map::patterns {

inline constexpr Pattern shared_by_rows{
    .name = "2d-shared-rows",
    .title = "2D shared by rows",
    .meaning = "Every thread walks the whole matrix row by row.",
    .suits = suits_spread,
    .dimensions = 2,
};

inline constexpr Pattern shared_by_columns{
    .name = "2d-shared-columns",
    .title = "2D shared by columns",
    .meaning = "Every thread walks the whole matrix column by column.",
    .suits = suits_spread,
    .dimensions = 2,
    .walk = along_y,
};

inline constexpr Pattern shared_at_random{
    .name = "2d-shared-random",
    .title = "2D shared at random",
    .meaning = "Every thread walks the whole matrix at random.",
    .suits = suits_spread,
    .dimensions = 2,
    .scattered = true,
};

inline constexpr Pattern row_bands{
    .name = "2d-rows",
    .title = "2D row bands",
    .meaning = "Each thread uses its own band of whole rows.",
    .suits = suits_parts,
    .dimensions = 2,
    .use = Use::boxes,
    .cut = across_y,
    .overlaps = true,
};

inline constexpr Pattern column_bands{
    .name = "2d-columns",
    .title = "2D column bands",
    .meaning = "Each thread uses its own band of whole columns.",
    .suits = suits_wide_rows,
    .dimensions = 2,
    .use = Use::boxes,
    .cut = across_x,
    .overlaps = true,
};

inline constexpr Pattern mesh{
    .name = "2d-mesh",
    .title = "2D mesh",
    .meaning = "Each thread uses its own tile of the matrix.",
    .suits = suits_wide_rows,
    .dimensions = 2,
    .use = Use::boxes,
    .cut = {false, true, true},
    .overlaps = true,
};

}  // namespace homenode::workloads::map::patterns
