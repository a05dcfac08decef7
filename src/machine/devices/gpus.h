// GPUs by the names that people and drivers have for them. Serves machine/devices/devices.cpp and
// the live machine.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::machine {

/// True for gpu, gpu1 and nvidia0.
bool names_gpu(const std::string& device);

/// gpu0 is the first display or compute device on PCI in the order of addresses, as nvidia-smi and
/// rocm-smi count, without those that only show a server's console; where there is none on PCI, the
/// first DRM card. nvidia0 is the device file of NVIDIA's driver, whose address /proc has.
/// Where HWLOC_XMLFILE names a measured machine that stands for this one (HWLOC_THISSYSTEM=1) and
/// has figures of the GPU, they decide which node is near (machine/devices/gpu_figures.h). pre:
/// names_gpu(device). Errors: bad_usage when there is no such GPU; not_supported where the system
/// does not say which node it is near; failed where it cannot be asked.
Result<NodeId> node_of_gpu(os::Os& os, const std::string& device);

/// gpu0, gpu1 …: the GPUs on PCI as devices of a machine; none where they cannot be listed.
std::vector<Device> gpu_devices(os::Os& os);

}  // namespace homenode::machine
