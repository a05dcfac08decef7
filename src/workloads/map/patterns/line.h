// MAP-numa: the patterns over an array of one dimension (Luo et al., NPC 2012, Fig. 1).
#pragma once

#include "workloads/map/patterns/pattern.h"

namespace homenode::workloads::map::patterns {

inline constexpr Pattern shared{
    .name = "shared",
    .title = "shared",
    .meaning = "Every thread uses the whole array.",
    .suits = suits_spread,
};

inline constexpr Pattern divided{
    .name = "divided",
    .title = "divided",
    .meaning = "Each thread uses its own contiguous part of the array.",
    .suits = suits_parts,
    .use = Use::boxes,
    .cut = across_x,
};

inline constexpr Pattern interleaved{
    .name = "interleaved",
    .title = "interleaved",
    .meaning = "Thread t of T uses elements t, t + T, t + 2T, …",
    .suits = suits_layout,
    .use = Use::interleaved,
};

inline constexpr Pattern partial{
    .name = "partial",
    .title = "partially shared",
    .meaning = "Each thread uses its own part and a share of its neighbours'.",
    .suits = suits_parts,
    .use = Use::boxes,
    .cut = across_x,
    .overlaps = true,
};

}  // namespace homenode::workloads::map::patterns
