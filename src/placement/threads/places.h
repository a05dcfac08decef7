// OMP_PLACES (OpenMP 5.2, section 21.1.6) as a thread map: thread i on place i. Pure; serves
// thread_expression.cpp.
#pragma once

#include <string_view>

#include "base/result.h"
#include "machine/machine.h"
#include "placement/threads/map.h"

namespace homenode::placement {

/// threads, cores, ll_caches, numa_domains or sockets, with a count in parentheses to take the
/// first so many; or places, {0,1},{2:2},{8:4:2}:4:8, where LOWER:LENGTH:STRIDE stands for numbers
/// inside a place and for whole places behind it. A bare number is a place of one CPU. "!" takes
/// the number behind it out of its place, or the place behind it out of those before it. Errors:
/// bad_usage naming the part; for a count of more places than there are; for the exclusion of what
/// is not there.
Result<ThreadMap> parse_places(const machine::Machine& machine, std::string_view text);

/// True when the text begins as OMP_PLACES does.
bool looks_like_places(std::string_view text);

/// The map as explicit places, {0,1},{2,3}, which parse_places() reads back.
std::string to_places(const ThreadMap& map);

}  // namespace homenode::placement
