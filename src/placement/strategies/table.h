// The strategies by name, for help, options and studies. A new one is one file and one line.
#pragma once

#include <span>
#include <string_view>

#include "placement/strategies/strategy.h"

namespace homenode::placement {

struct Strategy {
  std::string_view name;
  std::string_view summary;
  /// pre: check_program() passes.
  Placement (*place)(const machine::Machine& machine, const Program& program);
};

/// All of them, in the order of the help.
std::span<const Strategy> strategies();

/// Errors: bad_usage listing the names that exist.
Result<Strategy> find_strategy(std::string_view name);

/// Finds the strategy, checks the program and places it. Errors: those of both.
Result<Placement> place_by_strategy(std::string_view name, const machine::Machine& machine,
                                    const Program& program);

}  // namespace homenode::placement
