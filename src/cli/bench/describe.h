// homenode bench NAME --describe, and `bench --list`: what workloads say of themselves
// (workloads/program/description.h), as text and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "workloads/program/description.h"

namespace homenode::cli {

/// Gives the options that the workload describes its own sentences as help.
void explain_options(CLI::App& app, const workloads::Description& description);

std::string description_text(const workloads::Description& description);
/// A line; schema homenode.bench.describe/1.
std::string description_json(const workloads::Description& description);

/// The table of `bench --list`.
std::string bench_list_text(const std::vector<workloads::Description>& descriptions);

}  // namespace homenode::cli
