// The nodes of devices, from sysfs: numactl's netdev:, ip:, file:, block: and pci: in lists, and
// what --near names. Serves the verb `run`.
#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::machine {

/// A list of nodes whose last item may be a device: "0,netdev:eth0" is "0," and the node of eth0.
struct ListWithDevice {
  std::string list;            ///< As written, up to the device.
  std::optional<NodeId> node;  ///< Of the device at its end; nothing where there is none.
};

/// Looks up the device at the end of a list. Errors: bad_usage for a device that is not there;
/// not_supported where the system does not say which node it is near; failed for a file of file: or
/// of sysfs that cannot be read.
Result<ListWithDevice> find_device(os::Os& os, const std::string& list);

/// The node near a device: eth0, nvme0n1, nvme0, sda, mlx5_0, card0, renderD128, gpu, gpu1, nvidia0
/// (machine/devices/gpus.h), 0000:3b:00.0, or any of numactl's forms. Errors: as above.
Result<NodeId> node_near(os::Os& os, const std::string& device);

}  // namespace homenode::machine
