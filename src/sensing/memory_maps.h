// /proc/PID/maps and smaps as values: where each mapping ends, what it is, and how much of it is in
// transparent huge pages or swapped out. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace homenode::sensing {

/// One mapping. The amounts are those of smaps, and 0 from maps.
struct MapsEntry {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool accessible = false;  ///< Not PROT_NONE, as guards of stacks are.
  bool writable = false;
  bool shared = false;  ///< Mapped MAP_SHARED.
  std::string name;     ///< A path, "[heap]", "[anon:name]", …; empty for plain anonymous memory.
  Bytes resident;
  Bytes transparent_huge;  ///< Anonymous, shared memory and files together.
  Bytes swapped;
  Bytes locked;
};

/// Reads either file; lines that are neither a mapping nor an amount are skipped.
std::vector<MapsEntry> parse_maps(std::string_view text);

}  // namespace homenode::sensing
