// Says what a machine lacks that its PMU could sample memory accesses, and what to do about it.
#include "sensing/sources/pmu/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "base/words.h"
#include "machine/kernel_files.h"

namespace homenode::sensing {
namespace {

constexpr std::string_view record_elsewhere =
    "record on a machine that has one with 'perf mem record' and read that with "
    "'homenode profile --import FILE', or sample with another source";

bool has_word(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    for (auto next = take_word(line); !next.empty(); next = take_word(line)) {
      if (next == word) return true;
    }
  }
  return false;
}

/// A PMU that counts, but samples no addresses: "cpu", "cpu_core", "armv8_pmuv3_0".
bool counts(const std::vector<std::string>& devices) {
  return std::any_of(devices.begin(), devices.end(), [](const std::string& name) {
    return name == "cpu" || name.starts_with("cpu_") || name.starts_with("armv8_");
  });
}

}  // namespace

Unexpected missing_pmu(os::Os& os, std::string_view cpuinfo) {
  std::vector<std::string> devices;
  if (const int error = machine::list_kernel_folder(os, std::string(pmu_devices), devices)) {
    return not_supported(fmt::format("cannot list {}", pmu_devices),
                         "run on a kernel with performance events, where /sys is mounted", -error);
  }
  const bool virtual_machine = has_word(cpuinfo, "hypervisor");
  const std::string next(record_elsewhere);
  if (has_word(cpuinfo, "implementer") && counts(devices)) {
    return not_supported(
        fmt::format("no arm_spe_0 in {}: the CPU or its firmware has no Statistical Profiling "
                    "Extension, or the kernel's module for it is not loaded",
                    pmu_devices),
        "load it ('modprobe arm_spe_pmu'; the kernel wants kpti=off too), or " + next);
  }
  if (!counts(devices)) {
    return not_supported(
        virtual_machine ? "this virtual machine has no PMU: its hypervisor does not pass one on"
                        : fmt::format("this machine has no PMU: {} has none", pmu_devices),
        (virtual_machine ? "switch it on in the hypervisor, " : "") + next);
  }
  if (has_word(cpuinfo, "AuthenticAMD")) {
    return not_supported(
        fmt::format("no ibs_op in {}: {}", pmu_devices,
                    virtual_machine ? "the hypervisor does not pass instruction-based sampling on"
                                    : "the firmware has switched instruction-based sampling off"),
        next);
  }
  return not_supported(
      fmt::format("the PMU has no event mem-loads in {}cpu/events: {}", pmu_devices,
                  virtual_machine ? "the hypervisor passes no precise sampling (PEBS) on"
                                  : "this CPU samples no addresses"),
      next);
}

Unexpected refused_pmu(os::Os& os, std::string_view event, int errno_value) {
  const std::string tried = fmt::format("cannot open the event {}", event);
  if (errno_value == EACCES || errno_value == EPERM) {
    std::string level;
    machine::read_kernel_file(os, "/proc/sys/kernel/perf_event_paranoid", level);
    std::string_view text = level;
    const std::string_view shown = trimmed(take_line(text));
    return not_supported(
        shown.empty() ? tried
                      : fmt::format("{} while kernel.perf_event_paranoid is {}", tried, shown),
        "run as root or with CAP_PERFMON, or 'sysctl kernel.perf_event_paranoid=-1'", errno_value);
  }
  if (errno_value == EMFILE) {
    return failed(tried, "raise the limit of open files ('ulimit -n'): each CPU needs some",
                  errno_value);
  }
  if (errno_value == EBUSY) {
    return failed(tried, "another profiler uses the PMU; end it first", errno_value);
  }
  if (errno_value == ENOSYS) {
    return not_supported(tried, "allow perf_event_open(2), which a seccomp filter may forbid",
                         errno_value);
  }
  return not_supported(tried, std::string(record_elsewhere), errno_value);
}

}  // namespace homenode::sensing
