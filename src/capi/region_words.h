// An audit as JSON, schema "homenode.audit/1".
#pragma once

#include <cstddef>
#include <string>

#include "actuation/audit.h"

namespace homenode::capi {

/// One object on one line: the pages on each node, and why the others are on none.
std::string to_json(const actuation::Audit& audit, std::size_t page_bytes);

}  // namespace homenode::capi
