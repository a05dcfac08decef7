// The built-in verbs: each is made in the file of its name, and dispatch.cpp lists them in the
// order of the help. A verb whose options or report others use has a header of its own beside it.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace homenode::cli {

/// Where memory, threads and devices can be.
std::unique_ptr<Verb> make_topology();
/// Latency and bandwidth between them.
std::unique_ptr<Verb> make_measure();
/// Starting a program under a placement.
std::unique_ptr<Verb> make_run();
/// Where a live process is, and moving it.
std::unique_ptr<Verb> make_where();
/// Recording which thread uses which memory.
std::unique_ptr<Verb> make_sample();

// The table of workloads, bench/table.h, has the one of `bench`.

}  // namespace homenode::cli
