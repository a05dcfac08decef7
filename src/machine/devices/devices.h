// The nodes of devices, from sysfs: numactl's netdev:, ip:, file:, block: and pci: in lists, and
// what --near names. Serves the verb `run`.
#pragma once

#include <string>

#include "base/result.h"
#include "os/os.h"

namespace homenode::machine {

/// A list of nodes whose last item may be a device, with that device's node written instead:
/// "0,netdev:eth0" is "0,1" where eth0 is at node 1. Other lists come back as they are.
/// Errors: bad_usage for a device that is not there; not_supported where the system does not say
/// which node it is near; failed for a file of file: or of sysfs that cannot be read.
Result<std::string> expand_devices(os::Os& os, const std::string& list);

/// The node near a device: eth0, nvme0n1, nvme0, sda, mlx5_0, card0, renderD128, gpu, gpu1, nvidia0
/// (run_gpus.h), 0000:3b:00.0, or any of numactl's forms. Errors: as above.
Result<std::string> node_near(os::Os& os, const std::string& device);

}  // namespace homenode::machine
