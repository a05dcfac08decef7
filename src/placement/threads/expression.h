// Where threads run, as the tools that people know write it: a plain list, likwid's expressions,
// OMP_PLACES, Charm++'s PE maps. One text each; all of them become a ThreadMap. Pure; serves the
// launcher and the interfaces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "placement/threads/map.h"

namespace homenode::placement {

/// Reads a text in any of the notations; the first word decides which:
///   0,4,8-11              CPUs in rank order, one a thread (parse_thread_map)
///   S0:0-3@M1:0,1         likwid: CPUs by their place in a domain (N all, S package, M node, C
///                         last-level cache), joined by @; also E:N:4:1:2, M:scatter,
///                         S:balanced:4, S:cbalanced:4, L:0-3
///   {0:4}:8:4, cores(8)   OMP_PLACES: threads, cores, sockets, numa_domains, ll_caches, with a
///                         count, or places as sets
///   0-7:2.1+8, L0-7       Charm++'s ranges with stride, run and offsets, of the system's numbers
///                         or of hwloc's logical ones
/// pre: is_valid(machine). Errors: bad_usage naming the part that cannot be read, or the CPUs that
/// do not exist or that the cpuset does not allow.
Result<ThreadMap> parse_thread_expression(const machine::Machine& machine, std::string_view text);

// likwid (likwid-pin -c), whose expressions count CPUs within a domain: expression_likwid.cpp.

/// Parts joined by @, each one of
///   S0:0-3,7  or  L:S0:0-3,7  the CPUs at these places of the domain, cores before their further
///                             hardware threads; L:0-3 is within N
///   S0                        all CPUs of the domain, core by core
///   E:S0:N[:CHUNK:STRIDE[:OFFSET]]  N CPUs, core by core: CHUNK of every STRIDE, around and around
///   S:scatter[:N]             one CPU of each domain of the kind in turn, cores first
///   S:balanced[:N]            N CPUs, as many of each domain of the kind, core by core
///   S:cbalanced[:N]           the same, but each domain gives a hardware thread of every core
///                             before it gives second ones
///   0,4,8-11                  CPUs by their own numbers
/// Domains: N all CPUs; S0 a package, D0 the same (a package is taken for one die); C0 the CPUs of
/// a last-level cache; M0 the CPUs of the node 0. Unlike likwid, places past a domain's end are an
/// error, and plain numbers are the system's even within a cpuset.
/// Errors: bad_usage naming the part.
Result<ThreadMap> parse_likwid(const machine::Machine& machine, std::string_view text);

// OMP_PLACES (OpenMP 5.2, section 21.1.6), thread i on place i: expression_places.cpp.

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

// Charm++'s maps of PEs to CPUs (+pemap, the older +coremap): expression_charm.cpp.

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
