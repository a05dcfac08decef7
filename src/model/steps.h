// What each thread asks for, in the order in which it does: whoever walks through memory uses the
// node of one page after that of another, not all nodes at a time. Pure; the models with fair
// shares begin with it.
#pragma once

#include <vector>

#include "model/demand.h"

namespace homenode::model {

/// More lines in flight than the misses that a core keeps under way by itself: they were
/// prefetched, so the thread walks through the object in order. With fewer it uses all of it at any
/// time.
constexpr double in_order_from = 12;

/// For each thread its demand in steps of equally many lines, which add up to demands_of() but for
/// the lines of a step in each object; one step where all are alike.
///
/// Threads whose pages are their own drift apart, so that each is at any node at any time; those
/// that walk through the same pages stay together, and one that is alone keeps its own order.
///
/// Blocks follow each other in order of address, and several objects are walked at the same time.
/// A block whose pages lie on several nodes, and a step that is longer than a block, count as a
/// walk from node to node, too: each step lies on the node that is owed most, so that all steps
/// together come to what lies on each. Threads of a program with many have fewer steps, so that a
/// prediction takes milliseconds. pre: the layout is of this program and machine, and the program
/// has a thread.
[[nodiscard]] std::vector<std::vector<ThreadDemand>> steps_of(const Rates& rates,
                                                              const Program& program,
                                                              const Layout& layout);

}  // namespace homenode::model
