// A device's place in sysfs, from its folder up to the one that says its node. Serves
// devices.cpp and gpus.cpp.
#pragma once

#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::machine {

/// True when sysfs has a device in this folder. Errors: failed when it does not say.
Result<bool> is_device_folder(os::Os& os, const std::string& folder);

/// The node of the device in the folder, or of the nearest one above it that says one. `device` is
/// its name, for messages. Errors: bad_usage when it is not there; not_supported where the system
/// does not know; failed where a file of it cannot be read.
Result<NodeId> node_of_folder(os::Os& os, const std::string& folder, const std::string& device);

Unexpected no_such_device(const std::string& device);

}  // namespace homenode::machine
