#include "sensing/sources/pmu/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/id_list.h"
#include "base/sizes.h"
#include "base/words.h"
#include "machine/kernel_files.h"

namespace homenode::sensing {
namespace {

// Loads that take fewer cycles come from the CPU's own caches; perf mem takes the same.
constexpr std::uint64_t least_latency = 30;
constexpr unsigned zen3_family = 25;
constexpr unsigned zen3_last_model = 0xf;

std::optional<std::uint64_t> number_of(std::string_view text) {
  return c_number_in(text, LeadingZero::decimal);
}

/// A folder of /sys/bus/event_source/devices.
class PmuFolder {
 public:
  PmuFolder(os::Os& os, const std::string& name)
      : os_(os), name_(name), path_(std::string(pmu_devices) + name + "/") {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The first line of a file; empty without one.
  [[nodiscard]] std::string line(const std::string& file) const {
    std::string content;
    if (machine::read_kernel_file(os_, path_ + file, content) != 0) return {};
    std::string_view text = content;
    return std::string(trimmed(take_line(text)));
  }
  [[nodiscard]] std::optional<CpuSet> cpus() const {
    for (const char* const file : {"cpus", "cpumask"}) {
      const auto list = parse_cpu_list(line(file));
      if (list && !list->empty()) return *list;
    }
    return {};
  }
  [[nodiscard]] bool set(PmuEvent& event, std::string_view field, std::uint64_t value) const {
    return set_field(event, line("format/" + std::string(field)), value);
  }

 private:
  os::Os& os_;
  std::string name_;
  std::string path_;
};

std::optional<PmuEvent> new_event(const PmuFolder& pmu, const std::string& name) {
  const auto type = number_of(pmu.line("type"));
  if (!type) return {};
  PmuEvent event;
  event.name = pmu.name() + "/" + name;
  event.type = static_cast<std::uint32_t>(*type);
  event.cpus = pmu.cpus();
  return event;
}

/// An event that the kernel names: "event=0xcd,umask=0x1,ldlat=3".
std::optional<PmuEvent> named_event(const PmuFolder& pmu, const std::string& name) {
  const std::string terms = pmu.line("events/" + name);
  auto event = new_event(pmu, name);
  if (terms.empty() || !event) return {};
  std::string_view text = terms;
  while (!text.empty()) {
    std::string_view value = take_until(text, ',');
    const std::string_view field = take_until(value, '=');
    const auto number = value.empty() ? std::optional<std::uint64_t>(1) : number_of(value);
    if (!number) return {};
    const bool threshold = field == "ldlat";
    if (!pmu.set(*event, field, threshold ? std::max(*number, least_latency) : *number)) return {};
  }
  return event;
}

/// PEBS of one kind of core; a CPU with two kinds has a PMU for each.
void add_precise(os::Os& os, const std::string& name, PmuEvents& found) {
  const PmuFolder pmu(os, name);
  if (auto loads = named_event(pmu, "mem-loads")) {
    if (const auto leader = named_event(pmu, "mem-loads-aux"))
      loads->leader_config = leader->config;
    found.events.push_back(*std::move(loads));
  }
  if (auto stores = named_event(pmu, "mem-stores")) found.events.push_back(*std::move(stores));
}

std::uint64_t cpu_number(std::string_view cpuinfo, std::string_view key) {
  const std::string_view text = machine::value_after(cpuinfo, key);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return 0;
  return number_of(trimmed(text.substr(colon + 1))).value_or(0);
}

std::optional<PmuEvents> find_ibs(os::Os& os, std::string_view cpuinfo) {
  const PmuFolder pmu(os, "ibs_op");
  auto event = new_event(pmu, "");
  if (!event) return {};
  PmuEvents found;
  found.kind = PmuKind::ibs;
  // Operations are counted where the CPU can: by cycles, slow ones are taken too often.
  static_cast<void>(pmu.set(*event, "cnt_ctl", 1));
  found.filters_kernel = pmu.set(*event, "swfilt", 1);
  found.erratum_1293 = cpu_number(cpuinfo, "cpu family") == zen3_family &&
                       cpu_number(cpuinfo, "model") <= zen3_last_model;
  found.events.push_back(*std::move(event));
  return found;
}

/// Neoverse N1, N2 and V1: their numbers for where data came from are known.
bool knows_data_sources(std::string_view cpuinfo) {
  const std::uint64_t part = cpu_number(cpuinfo, "CPU part");
  return cpu_number(cpuinfo, "CPU implementer") == 0x41 &&
         (part == 0xd0c || part == 0xd49 || part == 0xd40);
}

std::optional<PmuEvents> find_spe(os::Os& os, std::string_view cpuinfo) {
  PmuEvents found;
  found.kind = PmuKind::spe;
  found.data_sources = knows_data_sources(cpuinfo);
  for (unsigned number = 0;; ++number) {
    const PmuFolder pmu(os, fmt::format("arm_spe_{}", number));
    auto event = new_event(pmu, "");
    if (!event) break;
    bool complete = true;
    for (const char* const field : {"ts_enable", "load_filter", "store_filter"}) {
      complete = pmu.set(*event, field, 1) && complete;
    }
    if (complete) found.events.push_back(*std::move(event));
  }
  if (found.events.empty()) return {};
  return found;
}

}  // namespace

bool set_field(PmuEvent& event, std::string_view format, std::uint64_t value) {
  const std::string_view word = take_until(format, ':');
  std::uint64_t* target = nullptr;
  if (word == "config") target = &event.config;
  if (word == "config1") target = &event.config1;
  if (word == "config2") target = &event.config2;
  if (target == nullptr || format.empty()) return false;
  constexpr std::uint64_t bits_of_word = 64;
  while (!format.empty()) {
    std::string_view range = take_until(format, ',');
    const auto first = number_of(take_until(range, '-'));
    const auto last = range.empty() ? first : number_of(range);
    if (!first || !last || *first > *last || *last >= bits_of_word) return false;
    const std::uint64_t count = *last - *first + 1;
    const std::uint64_t mask = ~std::uint64_t{0} >> (bits_of_word - count);
    *target = (*target & ~(mask << *first)) | (value & mask) << *first;
    value = count == bits_of_word ? 0 : value >> count;
  }
  return true;
}

Result<PmuEvents> find_pmu_events(os::Os& os) {
  std::string cpuinfo;
  machine::read_kernel_file(os, "/proc/cpuinfo", cpuinfo);
  if (auto found = find_ibs(os, cpuinfo)) return *std::move(found);
  if (auto found = find_spe(os, cpuinfo)) return *std::move(found);
  PmuEvents found;
  for (const char* const name : {"cpu", "cpu_core", "cpu_atom"}) add_precise(os, name, found);
  if (!found.events.empty()) return found;
  return missing_pmu(os, cpuinfo);
}

}  // namespace homenode::sensing
