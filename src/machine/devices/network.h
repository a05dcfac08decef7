// Which network interface leads to a host. Serves the node lists of the verb `run` (ip:HOST).
#pragma once

#include <string>

#include "base/result.h"

namespace homenode::machine {

/// The interface that the system would send from; nothing is sent. Errors: bad_usage for a name
/// that nobody knows; failed where it cannot be looked up or there is no route.
Result<std::string> interface_towards(const std::string& host);

}  // namespace homenode::machine
