// MAP-numa: every access pattern, by name.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "workloads/map/patterns/pattern.h"

namespace homenode::workloads::map {

/// All of them, in the order of the help.
std::span<const Pattern> all_patterns();

/// Nothing when there is none of that name.
std::optional<Pattern> find_pattern(std::string_view name);

}  // namespace homenode::workloads::map
