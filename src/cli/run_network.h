// Which network interface leads to a host. Serves the node lists of the verb `run` (ip:HOST).
#pragma once

#include <string>

#include "base/result.h"

namespace homenode::cli {

/// The interface that the system would send from; nothing is sent. Errors: bad_usage for a name
/// that cannot be resolved; failed where there is no route.
Result<std::string> interface_towards(const std::string& host);

}  // namespace homenode::cli
