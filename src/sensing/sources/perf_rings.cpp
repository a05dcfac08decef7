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

Error event_refusal(os::Os& os, int errno_value) {
  if (errno_value == EACCES || errno_value == EPERM) {
    std::string level;
    if (os.read_file("/proc/sys/kernel/perf_event_paranoid", level) < 0) level = "unknown";
    return not_supported(fmt::format("the kernel lets this user have no events of the process "
                                     "(kernel.perf_event_paranoid is {})",
                                     trimmed(std::string_view(level).substr(0, level.find('\n')))),
                         "run it as root or with CAP_PERFMON; for a process of another user also "
                         "CAP_SYS_PTRACE",
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

int PerfRings::add(const perf_event_attr& event, pid_t thread) {
  const std::size_t before = events_.size();
  int error = 0;
  for (const Ring& ring : rings_) {
    int descriptor = -1;
    error = os_.open_perf_event(event, thread, static_cast<int>(ring.cpu), descriptor);
    if (error != 0) break;
    events_.push_back(descriptor);
    error = os_.control_perf_event(descriptor, PERF_EVENT_IOC_SET_OUTPUT,
                                   static_cast<unsigned long>(ring.descriptor));
    if (error != 0) break;
  }
  if (error == 0) return 0;
  for (std::size_t i = before; i < events_.size(); ++i) os_.close_file(events_[i]);
  events_.resize(before);
  return error;
}

void PerfRings::close() {
  for (const int event : events_) os_.close_file(event);
  events_.clear();
  for (const Ring& ring : rings_) {
    os_.unmap_memory(ring.memory, (ring_pages + 1) * os_.page_bytes());
    os_.close_file(ring.descriptor);
  }
  rings_.clear();
}

std::vector<int> PerfRings::descriptors() const {
  std::vector<int> all;
  for (const Ring& ring : rings_) all.push_back(ring.descriptor);
  return all;
}

void PerfRings::control(unsigned long request) {
  for (const int event : events_) os_.control_perf_event(event, request, 0);
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
