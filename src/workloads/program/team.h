// A team of OpenMP threads that all take part or none.
#pragma once

#include <functional>

namespace homenode::workloads {

/// Calls part(rank) once in each of `threads` threads, ranks from 0, and waits for all of them. One
/// team runs at a time: a second caller waits. False, and nothing was called, where the system does
/// not give that many threads. `part` must not throw.
bool run_openmp_team(unsigned threads, const std::function<void(unsigned rank)>& part);

/// This thread's rank in the OpenMP team that it is in, told to the lab, which counts by rank.
unsigned enter_team();

}  // namespace homenode::workloads
