// Charm++'s maps of PEs to CPUs (+pemap, the older +coremap). Pure; serves thread_expression.cpp.
#pragma once

#include <string_view>

#include "base/result.h"
#include "machine/machine.h"
#include "placement/threads/map.h"

namespace homenode::placement {

/// FIRST[-LAST[:STRIDE[.RUN]]][+OFFSET...], joined by commas, one CPU a PE: RUN CPUs of every
/// STRIDE, and after each CPU those at the offsets from it. Runs end at LAST. "0-11:6.5+12" is
/// 0,12,1,13,…,4,16,6,18,…,10,22. With an L (or l) before the whole list the numbers are hwloc's
/// logical ones: the CPUs that this process may use, core by core, counted from 0. Errors:
/// bad_usage naming the part, or the logical numbers that there are (Charm++ itself starts again at
/// 0 behind the last).
Result<ThreadMap> parse_charm(const machine::Machine& machine, std::string_view text);

/// True for an L before a number: L0-3, but not likwid's L:0-3.
bool has_logical_numbers(std::string_view text);

/// The numbers of such a list, whatever they stand for: +nodemap is written in the same way.
Result<std::vector<unsigned>> parse_charm_numbers(std::string_view text);

}  // namespace homenode::placement
