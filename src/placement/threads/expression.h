// Where threads run, as the tools that people know write it: a plain list, likwid's expressions,
// OMP_PLACES, Charm++'s PE maps. One text each; all of them become a ThreadMap. Pure; serves the
// launcher and the interfaces.
#pragma once

#include <string_view>

#include "base/result.h"
#include "machine/machine.h"
#include "placement/threads/map.h"

namespace homenode::placement {

/// Reads a text in any of the notations; the first word decides which:
///   0,4,8-11              CPUs in rank order, one a thread (parse_thread_map)
///   S0:0-3@M1:0,1         likwid: CPUs by their place in a domain (N all, S package, M node, C
///                         last-level cache), joined by @; also E:N:4:1:2, M:scatter,
///                         S:balanced:4, S:cbalanced:4, L:0-3 (thread_likwid.h)
///   {0:4}:8:4, cores(8)   OMP_PLACES: threads, cores, sockets, numa_domains, ll_caches, with a
///                         count, or places as sets (thread_places.h)
///   0-7:2.1+8, L0-7       Charm++'s ranges with stride, run and offsets, of the system's numbers
///                         or of hwloc's logical ones (thread_charm.h)
/// pre: is_valid(machine). Errors: bad_usage naming the part that cannot be read, or the CPUs that
/// do not exist or that the cpuset does not allow.
Result<ThreadMap> parse_thread_expression(const machine::Machine& machine, std::string_view text);

}  // namespace homenode::placement
