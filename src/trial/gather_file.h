// homenode bench gather: Spatter's pattern files.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "workloads/gather/pattern.h"

namespace homenode::trial {

/// An array of objects with "kernel" (Gather or Scatter, Gather when absent), "pattern" (an array
/// of numbers, or a text that parse_indices() reads), "delta", "count" and "name"; "op" and what
/// else Spatter knows is not looked at. Errors: bad_usage, naming the entry. Pure.
Result<std::vector<workloads::gather::IndexPattern>> read_patterns(std::string_view json);

}  // namespace homenode::trial
