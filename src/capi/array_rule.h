// The memory rules that cut an array along its indices, and so need its shape: rows, columns,
// blocks.
#pragma once

#include <string_view>

#include "base/id_set.h"
#include "base/result.h"
#include "placement/array_blocks.h"

namespace homenode::capi {

/// True when the rule's name is one of these.
bool is_array_rule(std::string_view rule);

/// The page map of NAME[:N][@NODES]. Errors: bad_usage for the text, for nodes that are not among
/// `usable`, and for shapes that cannot be cut so. pre: is_array_rule(rule).
Result<placement::PageMap> map_array(std::string_view rule, const placement::ArrayShape& shape,
                                     const NodeSet& usable, std::size_t page_bytes);

}  // namespace homenode::capi
