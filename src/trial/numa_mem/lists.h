// The lists of -C and -M of `perf bench numa mem`: one entry for each task, in order. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "base/id_set.h"
#include "base/result.h"
#include "machine/machine.h"

namespace homenode::trial {

/// "0,2-8#2,4_2x3": CPU 0; 2, 4, 6, 8; three times the two CPUs from 4 on. Errors: bad_usage for
/// syntax, more entries than tasks, CPUs that this process may not use.
Result<std::vector<CpuSet>> parse_task_cpus(const machine::Machine& machine, std::string_view text,
                                            std::size_t tasks);

/// "0x2,1-3": node 0 twice, then 1, 2, 3. Errors: bad_usage as above, and for nodes whose memory
/// this process may not use.
Result<std::vector<NodeId>> parse_task_nodes(const machine::Machine& machine, std::string_view text,
                                             std::size_t tasks);

}  // namespace homenode::trial
