// Says what a machine lacks that its PMU could sample memory accesses, and what to do about it.
// Serves the source of samples `pmu`.
#pragma once

#include <string_view>

#include "base/result.h"
#include "os/os.h"

namespace homenode::sensing {

inline constexpr std::string_view pmu_devices = "/sys/bus/event_source/devices/";

/// For a machine whose kernel names no event that samples memory accesses.
Unexpected missing_pmu(os::Os& os, std::string_view cpuinfo);
/// For an event that the kernel does not open: what the errno means here.
Unexpected refused_pmu(os::Os& os, std::string_view event, int errno_value);

}  // namespace homenode::sensing
