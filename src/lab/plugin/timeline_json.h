// What each thread did when in a region of interest, as the line of JSON (schema
// "homenode.lab.timeline/1") in which the plugin hands it to the lab's driver. Intervals are lists,
// because there may be a million of them:
//
//   [thread, "user", from, to, stall]         it waited for memory for so long in it
//   [thread, "kernel", from, to, 0]           and so for "spinning" and "ready"
//   [thread, "sleeping", from, to, woken, by] when it was woken and by which thread; null: by none,
//                                             or not before the region ended
//
// All times are modelled, in picoseconds since the region began; threads have the numbers that
// they have in the line of counts.
#pragma once

#include <string>

#include "lab/plugin/counts.h"
#include "lab/timing/timekeeper.h"

namespace homenode::lab {

/// One line, ending with a newline; `region` is its number in the line of counts.
/// pre: time.timeline() is not null.
[[nodiscard]] std::string timeline_line(unsigned region, const Timekeeper& time,
                                        const ThreadNumbers& numbers);

}  // namespace homenode::lab
