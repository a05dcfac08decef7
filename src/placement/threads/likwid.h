// likwid's expressions (likwid-pin -c), which count CPUs within a domain. Pure; serves
// thread_expression.cpp.
#pragma once

#include <string_view>

#include "base/result.h"
#include "machine/machine.h"
#include "placement/threads/map.h"

namespace homenode::placement {

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

}  // namespace homenode::placement
