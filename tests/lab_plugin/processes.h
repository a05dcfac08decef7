// Two processes, as the plugin knows them: by their page tables.
#pragma once

#include <cstdint>

namespace homenode::lab {

inline constexpr std::uint64_t ours = 0x1000;
inline constexpr std::uint64_t theirs = 0x2000;

}  // namespace homenode::lab
