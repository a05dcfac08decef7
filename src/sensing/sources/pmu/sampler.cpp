#include "sensing/sources/pmu/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "base/sizes.h"
#include "base/words.h"
#include "machine/kernel_files.h"
#include "sensing/sources/fault_events.h"
#include "sensing/system_files.h"

namespace homenode::sensing {
namespace {

std::uint64_t number_in_file(os::Os& os, const std::string& path, std::uint64_t otherwise) {
  std::string text;
  if (machine::read_kernel_file(os, path, text) != 0) return otherwise;
  std::string_view rest = text;
  return number_in<std::uint64_t>(trimmed(take_line(rest))).value_or(otherwise);
}

std::uint64_t most_samples_per_second(os::Os& os) {
  constexpr std::uint64_t default_of_kernel = 100'000;
  return std::max<std::uint64_t>(
      1, number_in_file(os, "/proc/sys/kernel/perf_event_max_sample_rate", default_of_kernel));
}

Result<std::vector<pid_t>> threads_of(os::Os& os, pid_t pid) {
  std::vector<pid_t> threads;
  if (SystemFiles{os}.list_threads(pid, threads) < 0 || threads.empty()) {
    return Unexpected(event_refusal(os, ESRCH));
  }
  return threads;
}

}  // namespace

double ns_per_cycle(os::Os& os) {
  constexpr double ns_times_khz = 1e6;
  for (const char* const file : {"base_frequency", "cpuinfo_max_freq"}) {
    const std::string path = fmt::format("{}cpu0/cpufreq/{}", machine::cpu_folder, file);
    const std::uint64_t khz = number_in_file(os, path, 0);
    if (khz != 0) return ns_times_khz / static_cast<double>(khz);
  }
  return 0;
}

Result<void> PmuSampler::check(os::Os& os, const PmuEvents& events, pid_t pid) {
  const PmuEvent& event = events.events.front();
  PmuOpening opening;
  for (;;) {
    perf_event_attr attributes = attributes_of(events, event, opening);
    attributes.disabled = 1;
    const bool on_one_cpu = opening.whole_cpu || event.cpus;
    const auto cpu = event.cpus ? static_cast<int>(event.cpus->to_vector().front().value()) : 0;
    // An event that needs a leader is opened without what it needs it for.
    if (event.leader_config) attributes.sample_type &= ~std::uint64_t{PERF_SAMPLE_DATA_SRC};
    int descriptor = -1;
    const int error = os.open_perf_event(attributes, opening.whole_cpu ? -1 : pid,
                                         on_one_cpu ? cpu : -1, descriptor);
    if (error == 0) {
      os.close_file(descriptor);
      return {};
    }
    if (!asked_less(opening, events.kind, -error)) return refused_pmu(os, event.name, -error);
  }
}

int PmuSampler::add(const PmuEvent& event, pid_t thread) {
  for (;;) {
    const perf_event_attr attributes = attributes_of(events_, event, opening_);
    const perf_event_attr leader = leader_attributes(event, opening_);
    const EventPlace place{event.cpus ? &*event.cpus : nullptr,
                           event.leader_config ? &leader : nullptr};
    const int error = rings_.add(attributes, opening_.whole_cpu ? -1 : thread, place);
    // All events write records of one form, so only the first may ask for less.
    if (error == 0) {
      reading_.sample_type = attributes.sample_type;
      return 0;
    }
    if (reading_.sample_type != 0 || !asked_less(opening_, events_.kind, -error)) return error;
  }
}

Result<void> PmuSampler::open(const Sampling& sampling, pid_t pid, bool starts) {
  if (auto done = rings_.open(sampling.nodes.cpus()); !done) return done;
  highest_ = samples_per_second(sampling.request.overhead, most_samples_per_second(os_));
  opening_.samples_per_second = highest_;
  opening_.from_exec = starts;
  reading_ = {events_.kind, events_.erratum_1293, 0, ns_per_cycle(os_)};
  const auto threads = starts ? Result<std::vector<pid_t>>({pid}) : threads_of(os_, pid);
  if (!threads) return threads.as_unexpected();
  for (const PmuEvent& event : events_.events) {
    for (const pid_t thread : *threads) {
      const int error = add(event, thread);
      // A thread may end meanwhile.
      if (error != 0 && (error != -ESRCH || thread == pid)) {
        return refused_pmu(os_, event.name, -error);
      }
      if (opening_.whole_cpu) break;
    }
  }
  const int error = events_.kind == PmuKind::spe ? rings_.open_aux() : 0;
  if (error != 0) return refused_pmu(os_, events_.events.front().name, -error);
  return {};
}

void PmuSampler::keep(Sample sample, const Sampling& sampling, std::vector<Sample>& samples) {
  const auto pid = static_cast<pid_t>(sample.pid);
  const bool foreign = std::find(sampled_.begin(), sampled_.end(), pid) == sampled_.end();
  if (opening_.whole_cpu && foreign) return;
  sample.cpu_node = sampling.nodes.of_cpu(sample.cpu);
  if (sample.physical != 0) sample.memory_node = sampling.nodes.of_physical(sample.physical);
  if (std::exchange(lost_, false)) sample.flags |= sample_lost_before;
  samples.push_back(sample);
}

void PmuSampler::take_flush(const SpeFlush& flush, Sampling& sampling,
                            std::vector<Sample>& samples) {
  const auto bytes = rings_.aux(flush.cpu, flush.position, flush.bytes, joined_);
  const auto offset = static_cast<std::size_t>(flush.position);
  const SpeAccesses found = read_spe_records({bytes, offset, events_.data_sources});
  for (const SpeAccess& access : found.accesses) {
    sampling.budget.add_faults_ns(cost_of_sample_ns);
    const auto sample = sample_of_spe(access, flush, reading_.ns_per_cycle);
    if (sample) keep(*sample, sampling, samples);
  }
  rings_.free_aux(flush.cpu, flush.position + flush.bytes);
  if (!flush.lost) return;
  lost_ = true;
  sampling.budget.add_lost(1);
}

void PmuSampler::take(const PerfRecord& record, Sampling& sampling, std::vector<Sample>& samples) {
  if (record.type == PERF_RECORD_SAMPLE) {
    sampling.budget.add_faults_ns(cost_of_sample_ns);
    if (const auto sample = sample_of_record(record, reading_)) keep(*sample, sampling, samples);
  } else if (record.type == PERF_RECORD_AUX) {
    if (const auto flush = read_spe_flush(record.body)) take_flush(*flush, sampling, samples);
  } else if (record.type == PERF_RECORD_LOST) {
    lost_ = true;
    sampling.budget.add_lost(decode_perf_lost(record).value_or(0));
  } else {
    log_process_record(record, sampling.processes);
  }
}

std::vector<Sample> PmuSampler::read(Sampling& sampling) {
  sampled_ = sampling.processes.alive();
  std::vector<Sample> samples;
  rings_.read([&](const PerfRecord& record) { take(record, sampling, samples); });
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return a.time_ns < b.time_ns; });
  find_memory_nodes(os_, samples);
  return samples;
}

void PmuSampler::keep_within_budget(const Sampling& sampling) {
  constexpr std::uint64_t fewest = 10;
  const std::uint64_t now = opening_.samples_per_second;
  std::uint64_t next = std::min(highest_, now + now / 4 + 1);
  if (!sampling.budget.allows(0)) next = std::max(fewest, now / 2);
  if (next == now) return;
  opening_.samples_per_second = next;
  const std::uint64_t rate = rate_of(events_.kind, next);
  rings_.control(PERF_EVENT_IOC_PERIOD, reinterpret_cast<unsigned long>(&rate));
}

}  // namespace homenode::sensing
