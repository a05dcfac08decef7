#include "sensing/sources/pmu/attributes.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include "sensing/sources/perf_rings.h"
#include "sensing/sources/pmu/ibs_record.h"

namespace homenode::sensing {
namespace {

constexpr std::uint64_t half_of_kernel = std::uint64_t{1} << 63;

std::uint64_t sample_type_of(PmuKind kind, bool physical) {
  const std::uint64_t place = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  if (kind == PmuKind::spe) return place;
  const std::uint64_t common = place | PERF_SAMPLE_IP;
  if (kind == PmuKind::ibs) return common | PERF_SAMPLE_RAW;
  return common | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
         (physical ? std::uint64_t{PERF_SAMPLE_PHYS_ADDR} : 0);
}

std::uint32_t in_nanoseconds(std::uint64_t cycles, double ns_per_cycle) {
  constexpr double most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(static_cast<double>(cycles) * ns_per_cycle, most));
}

struct Access {
  AccessKind kind;
  std::uint64_t address = 0;
  std::uint64_t physical = 0;
  std::uint64_t cycles = 0;
};

std::optional<Access> access_of(const PerfSample& sample, const PmuReading& reading) {
  if (reading.kind == PmuKind::ibs) {
    const auto found = read_ibs_sample(sample.raw, reading.erratum_1293);
    if (!found) return {};
    return Access{found->kind, found->address, found->physical, found->latency_cycles};
  }
  const AccessKind kind = kind_of_data_source(sample.data_source);
  if (kind.operation == SampleOperation::unknown) return {};
  return Access{kind, sample.address, sample.physical, sample.weight};
}

}  // namespace

perf_event_attr attributes_of(const PmuEvents& events, const PmuEvent& event,
                              const PmuOpening& opening) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.sample_type = sample_type_of(events.kind, opening.physical);
  attributes.freq = events.kind == PmuKind::spe ? 0 : 1;
  attributes.sample_freq = rate_of(events.kind, opening.samples_per_second);
  attributes.disabled = opening.from_exec ? 1 : 0;
  attributes.enable_on_exec = opening.from_exec ? 1 : 0;
  attributes.inherit = opening.whole_cpu ? 0 : 1;
  // Of PEBS, level 2 names the instruction itself; IBS does so in any case.
  if (events.kind == PmuKind::precise) attributes.precise_ip = opening.precisest ? 2 : 1;
  attributes.exclude_kernel = events.filters_kernel ? 1 : 0;
  attributes.exclude_hv = events.kind == PmuKind::precise ? 1 : 0;
  // What other processes start and map is no business of this recording.
  if (!opening.whole_cpu) tell_of_process(attributes);
  tell_time(attributes);
  return attributes;
}

std::uint64_t rate_of(PmuKind kind, std::uint64_t samples_per_second) {
  constexpr std::uint64_t operations_per_second = 2'000'000'000;
  return kind == PmuKind::spe ? operations_per_second / samples_per_second : samples_per_second;
}

perf_event_attr leader_attributes(const PmuEvent& loads, const PmuOpening& opening) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = loads.type;
  attributes.config = loads.leader_config.value_or(0);
  attributes.disabled = opening.from_exec ? 1 : 0;
  attributes.enable_on_exec = opening.from_exec ? 1 : 0;
  attributes.inherit = opening.whole_cpu ? 0 : 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return attributes;
}

bool asked_less(PmuOpening& opening, PmuKind kind, int errno_value) {
  const bool denied = errno_value == EACCES || errno_value == EPERM;
  if (denied && kind == PmuKind::precise && opening.physical) {
    opening.physical = false;
    return true;
  }
  const bool unknown = errno_value == EINVAL || errno_value == EOPNOTSUPP;
  if (unknown && kind == PmuKind::precise && opening.precisest) {
    opening.precisest = false;
    return true;
  }
  if (errno_value == EINVAL && kind == PmuKind::ibs && !opening.whole_cpu) {
    opening.whole_cpu = true;
    opening.from_exec = false;
    return true;
  }
  return false;
}

std::uint64_t samples_per_second(double overhead, std::uint64_t most) {
  constexpr double fewest = 20;
  constexpr double ns_per_second = 1e9;
  const double wanted = overhead * ns_per_second / static_cast<double>(cost_of_sample_ns);
  return std::min(static_cast<std::uint64_t>(std::clamp(wanted, fewest, ns_per_second)), most);
}

std::optional<Sample> sample_of_record(const PerfRecord& record, const PmuReading& reading) {
  const auto read = decode_perf_sample(record, reading.sample_type);
  if (!read || read->kernel || read->instruction >= half_of_kernel) return {};
  const auto access = access_of(*read, reading);
  if (!access || access->address == 0 || access->address >= half_of_kernel) return {};
  Sample sample;
  sample.time_ns = read->time_ns;
  sample.address = access->address;
  sample.physical = access->physical;
  sample.instruction = read->instruction;
  sample.latency_ns = in_nanoseconds(access->cycles, reading.ns_per_cycle);
  sample.pid = read->pid;
  sample.tid = read->tid;
  if (read->cpu < unknown_sample_id) sample.cpu = static_cast<std::uint16_t>(read->cpu);
  sample.operation = access->kind.operation;
  sample.level = access->kind.level;
  sample.source = SampleSource::pmu;
  return sample;
}

std::optional<Sample> sample_of_spe(const SpeAccess& access, const SpeFlush& flush,
                                    double ns_per_cycle) {
  if (access.kernel || access.address >= half_of_kernel) return {};
  Sample sample;
  sample.time_ns = flush.time_ns;
  sample.address = access.address;
  sample.physical = access.physical;
  sample.instruction = access.instruction;
  sample.latency_ns = in_nanoseconds(access.latency_cycles, ns_per_cycle);
  sample.pid = flush.pid;
  sample.tid = flush.tid;
  if (flush.cpu < unknown_sample_id) sample.cpu = static_cast<std::uint16_t>(flush.cpu);
  sample.operation = access.kind.operation;
  sample.level = access.kind.level;
  sample.source = SampleSource::pmu;
  return sample;
}

}  // namespace homenode::sensing
