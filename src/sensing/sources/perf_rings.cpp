#include "sensing/sources/perf_rings.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/words.h"

namespace homenode::sensing {
namespace {

/// What the kernel lets an ordinary user have for each CPU (kernel.perf_event_mlock_kb: 516).
constexpr std::size_t ring_pages = 128;

/// A power of two, as the kernel wants it.
constexpr std::size_t aux_bytes = std::size_t{1} << 20;

/// An event of the sampler itself that never happens.
perf_event_attr holder_event(std::size_t bytes) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_DUMMY;
  event.sample_period = 1;
  event.exclude_kernel = 1;
  event.watermark = 1;
  event.wakeup_watermark = static_cast<std::uint32_t>(bytes / 2);
  event.use_clockid = 1;
  event.clockid = CLOCK_MONOTONIC;
  return event;
}

}  // namespace

void tell_of_process(perf_event_attr& event) {
  event.task = 1;
  event.comm = 1;
  event.comm_exec = 1;
  event.mmap = 1;
  event.mmap_data = 1;
  event.mmap2 = 1;
}

void tell_time(perf_event_attr& event) {
  event.sample_id_all = 1;
  event.use_clockid = 1;
  event.clockid = CLOCK_MONOTONIC;
}

Error event_refusal(os::Os& os, int errno_value) {
  if (errno_value == EACCES || errno_value == EPERM) {
    std::string level;
    if (os.read_file("/proc/sys/kernel/perf_event_paranoid", level) < 0) level = "unknown";
    return not_supported(
               fmt::format("the kernel lets this user have no events of the process "
                           "(kernel.perf_event_paranoid is {})",
                           trimmed(std::string_view(level).substr(0, level.find('\n')))),
               "run it as root or with CAP_PERFMON, and CAP_SYS_PTRACE for others' processes",
               errno_value)
        .take();
  }
  if (errno_value == EMFILE || errno_value == ENFILE) {
    return failed("there are more events, one for each thread and CPU, than files that may be open",
                  "raise the limit (ulimit -n)", errno_value)
        .take();
  }
  if (errno_value == ESRCH) {
    return failed("the process has ended", "start the program with 'homenode sample -- PROGRAM'")
        .take();
  }
  return not_supported("this kernel or container has no performance events",
                       "allow perf_event_open in the container's seccomp profile", errno_value)
      .take();
}

Result<void> PerfRings::open(std::span<const unsigned> cpus) {
  const std::size_t bytes = (ring_pages + 1) * os_.page_bytes();
  const perf_event_attr event = holder_event(bytes);
  for (const unsigned cpu : cpus) {
    Ring ring{cpu};
    if (const int error = os_.open_perf_event(event, 0, static_cast<int>(cpu), ring.descriptor)) {
      close();
      return Unexpected(event_refusal(os_, -error));
    }
    if (const int error = os_.map_perf_ring(ring.descriptor, bytes, ring.memory)) {
      os_.close_file(ring.descriptor);
      close();
      return failed(fmt::format("cannot get {} KiB of buffer for each CPU", bytes >> 10),
                    "end other users of performance events, or raise kernel.perf_event_mlock_kb",
                    -error);
    }
    rings_.push_back(ring);
  }
  return {};
}

int PerfRings::add_on(Ring& ring, const perf_event_attr& event, pid_t thread,
                      const perf_event_attr* leader) {
  const int cpu = static_cast<int>(ring.cpu);
  int group = -1;
  if (leader != nullptr) {
    if (const int error = os_.open_perf_event(*leader, thread, cpu, group)) return error;
    events_.push_back(group);
  }
  int descriptor = -1;
  const int error = leader == nullptr
                        ? os_.open_perf_event(event, thread, cpu, descriptor)
                        : os_.open_perf_event_in_group(event, thread, cpu, group, descriptor);
  if (error != 0) return error;
  events_.push_back(descriptor);
  if (ring.first_event < 0) ring.first_event = descriptor;
  return os_.control_perf_event(descriptor, PERF_EVENT_IOC_SET_OUTPUT,
                                static_cast<unsigned long>(ring.descriptor));
}

int PerfRings::add(const perf_event_attr& event, pid_t thread, const EventPlace& place) {
  const std::size_t before = events_.size();
  int error = 0;
  for (Ring& ring : rings_) {
    if (place.cpus != nullptr && !place.cpus->contains(CpuId(ring.cpu))) continue;
    error = add_on(ring, event, thread, place.leader);
    if (error != 0) break;
  }
  if (error == 0) return 0;
  for (std::size_t i = before; i < events_.size(); ++i) {
    os_.close_file(events_[i]);
    for (Ring& ring : rings_) {
      if (ring.first_event == events_[i]) ring.first_event = -1;
    }
  }
  events_.resize(before);
  return error;
}

void PerfRings::close() {
  for (const int event : events_) os_.close_file(event);
  events_.clear();
  for (const Ring& ring : rings_) {
    if (ring.aux != nullptr) os_.unmap_memory(ring.aux, aux_bytes);
    os_.unmap_memory(ring.memory, (ring_pages + 1) * os_.page_bytes());
    os_.close_file(ring.descriptor);
  }
  rings_.clear();
}

int PerfRings::open_aux() {
  for (Ring& ring : rings_) {
    if (ring.first_event < 0) continue;
    auto& page = *static_cast<perf_event_mmap_page*>(ring.memory);
    page.aux_offset = (ring_pages + 1) * os_.page_bytes();
    page.aux_size = aux_bytes;
    const int error = os_.map_perf_aux(ring.first_event, page.aux_offset, aux_bytes, ring.aux);
    if (error != 0) return error;
  }
  return 0;
}

std::span<const std::byte> PerfRings::aux(std::uint32_t cpu, std::uint64_t position,
                                          std::uint64_t count, std::vector<std::byte>& copy) const {
  const auto ring = std::find_if(rings_.begin(), rings_.end(),
                                 [cpu](const Ring& each) { return each.cpu == cpu; });
  if (ring == rings_.end() || ring->aux == nullptr || count > aux_bytes) return {};
  const std::span<const std::byte> all(static_cast<const std::byte*>(ring->aux), aux_bytes);
  const auto at = static_cast<std::size_t>(position % aux_bytes);
  const auto bytes = static_cast<std::size_t>(count);
  if (bytes <= aux_bytes - at) return all.subspan(at, bytes);
  const auto end = all.subspan(at);
  const auto rest = all.first(bytes - end.size());
  copy.assign(end.begin(), end.end());
  copy.insert(copy.end(), rest.begin(), rest.end());
  return copy;
}

void PerfRings::free_aux(std::uint32_t cpu, std::uint64_t position) {
  for (const Ring& ring : rings_) {
    if (ring.cpu != cpu || ring.aux == nullptr) continue;
    auto& page = *static_cast<perf_event_mmap_page*>(ring.memory);
    std::atomic_ref(page.aux_tail).store(position, std::memory_order_release);
  }
}

std::vector<int> PerfRings::descriptors() const {
  std::vector<int> all;
  for (const Ring& ring : rings_) all.push_back(ring.descriptor);
  return all;
}

void PerfRings::control(unsigned long request, unsigned long argument) {
  for (const int event : events_) os_.control_perf_event(event, request, argument);
}

void PerfRings::read(const std::function<void(const PerfRecord&)>& visit) {
  for (const Ring& ring : rings_) read_ring(ring, visit);
}

void PerfRings::read_ring(const Ring& ring, const std::function<void(const PerfRecord&)>& visit) {
  auto& page = *static_cast<perf_event_mmap_page*>(ring.memory);
  const std::size_t size = ring_pages * os_.page_bytes();
  const auto* const data = static_cast<const std::byte*>(ring.memory) + os_.page_bytes();
  const std::uint64_t head = std::atomic_ref(page.data_head).load(std::memory_order_acquire);
  std::uint64_t tail = page.data_tail;
  while (head - tail >= sizeof(perf_event_header)) {
    perf_event_header header{};
    const std::size_t at = tail % size;  // Headers are aligned: they lie in one piece.
    std::memcpy(&header, data + at, sizeof header);
    if (header.size < sizeof header || header.size > head - tail) break;
    std::span<const std::byte> bytes(data + at, std::min<std::size_t>(header.size, size - at));
    if (bytes.size() < header.size) {
      copy_.assign(bytes.begin(), bytes.end());
      copy_.insert(copy_.end(), data, data + (header.size - bytes.size()));
      bytes = copy_;
    }
    visit({header.type, header.misc, bytes.subspan(sizeof header)});
    tail += header.size;
  }
  std::atomic_ref(page.data_tail).store(head, std::memory_order_release);
}

}  // namespace homenode::sensing
