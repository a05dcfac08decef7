// An audit as JSON, schema "homenode.audit/1".
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "actuation/audit.h"
#include "base/units.h"

namespace homenode::capi {

/// One object on one line: the pages on each node, why the others are on none, and how many bytes
/// are in huge pages; null when the kernel does not say.
std::string to_json(const actuation::Audit& audit, std::size_t page_bytes,
                    std::optional<Bytes> huge);

}  // namespace homenode::capi
