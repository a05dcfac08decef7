// Which events of this machine's PMU sample memory accesses, with their encodings; or what is
// missing. The kernel itself says so in /sys/bus/event_source/devices, for the CPU that it runs on.
// Serves the source of samples `pmu`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_set.h"
#include "base/result.h"
#include "os/os.h"

namespace homenode::sensing {

enum class PmuKind : std::uint8_t {
  precise,  ///< Intel's PEBS, or one that fills the same fields.
  ibs,      ///< AMD's instruction-based sampling.
  spe,      ///< Arm's Statistical Profiling Extension.
};

/// What perf_event_attr wants of an event.
struct PmuEvent {
  std::string name;  ///< "cpu/mem-loads".
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::optional<CpuSet> cpus;  ///< The only CPUs that have it; empty: all.
  /// Loads of some Intel CPUs are sampled only in a group that this event leads.
  std::optional<std::uint64_t> leader_config;
};

struct PmuEvents {
  PmuKind kind = PmuKind::precise;
  std::vector<PmuEvent> events;
  bool filters_kernel = true;  ///< The kernel can leave out what it did itself.
  bool erratum_1293 = false;   ///< ibs_record.h.
  bool data_sources = false;   ///< spe_records.h.
};

/// Sets the bits of `value` where a file of format/ says, such as "config:0-7,32-35". False for a
/// text of another form. Pure.
bool set_field(PmuEvent& event, std::string_view format, std::uint64_t value);

/// Errors: not_supported, saying what is missing and what to do.
Result<PmuEvents> find_pmu_events(os::Os& os);

inline constexpr std::string_view pmu_devices = "/sys/bus/event_source/devices/";

/// For a machine whose kernel names no event that samples memory accesses.
Unexpected missing_pmu(os::Os& os, std::string_view cpuinfo);
/// For an event that the kernel does not open: what the errno means here.
Unexpected refused_pmu(os::Os& os, std::string_view event, int errno_value);

}  // namespace homenode::sensing
