// How long each run may take, so that all figures fit into the time that was promised. Pure.
#pragma once

#include <cstddef>

namespace homenode::measure {

/// Below, starting the threads would be a part of the time; above, nothing is gained.
inline constexpr double shortest_run_s = 0.0005;
inline constexpr double longest_run_s = 0.1;

/// The seconds of one run, from what is left of the budget. A figure takes one run more than are
/// counted, to warm up and to learn the speed. pre: figures_left > 0.
double run_seconds(double seconds_left, std::size_t figures_left, unsigned runs);

/// How many units (bytes, steps) make a run of `seconds`, after `units` took `elapsed_s`; at least
/// `least`, at most `most`.
std::size_t units_for(double seconds, double units, double elapsed_s, std::size_t least,
                      std::size_t most);

}  // namespace homenode::measure
