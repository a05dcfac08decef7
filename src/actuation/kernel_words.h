// What the kernel's text files say about a region of memory: maps and smaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "actuation/region.h"
#include "base/units.h"
#include "os/os.h"

namespace homenode::actuation {

/// How much of an address range is in huge pages, from the text of /proc/self/smaps; nothing when
/// the range is not in it. Pure. A mapping may be larger than the range: the sum is cut to it.
std::optional<Bytes> huge_in(std::string_view smaps, std::uintptr_t first, std::size_t bytes);
/// How much of the region is in transparent huge pages, from /proc/self/smaps; nothing when it
/// cannot be read.
std::optional<Bytes> huge_bytes(os::Os& os, Region region);

/// The parts of an address range that no access is allowed to, from the text of /proc/self/maps;
/// nothing when all of the range is mapped. Pure.
std::optional<std::vector<Region>> closed_remains(std::string_view maps, std::uintptr_t first,
                                                  std::size_t bytes);

}  // namespace homenode::actuation
