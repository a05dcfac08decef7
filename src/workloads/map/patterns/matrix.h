// MAP-numa: the patterns over a matrix, stored row by row (Luo et al., NPC 2012, Fig. 1).
#pragma once

#include "workloads/map/patterns/pattern.h"

namespace homenode::workloads::map::patterns {

inline constexpr Pattern shared_by_rows = everybody(
    "2d-shared-rows", "2D shared by rows", "Every thread walks the whole matrix row by row.", 2);

inline constexpr Pattern shared_by_columns =
    everybody("2d-shared-columns", "2D shared by columns",
              "Every thread walks the whole matrix column by column.", 2, along_y);

inline constexpr Pattern shared_at_random =
    everybody("2d-shared-random", "2D shared at random",
              "Every thread walks the whole matrix at random.", 2, as_it_lies, true);

inline constexpr Pattern row_bands =
    boxes("2d-rows", "2D row bands", "Each thread uses its own band of whole rows.", suits_parts, 2,
          across_y);

inline constexpr Pattern column_bands =
    boxes("2d-columns", "2D column bands", "Each thread uses its own band of whole columns.",
          suits_wide_rows, 2, across_x);

inline constexpr Pattern mesh =
    boxes("2d-mesh", "2D mesh", "Each thread uses its own tile of the matrix.", suits_wide_rows, 2,
          {false, true, true});

}  // namespace homenode::workloads::map::patterns
