#include "sensing/sources/fault_events.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>

#include "sensing/page_query.h"
#include "sensing/system_files.h"

namespace homenode::sensing {
namespace {

/// Every page fault of a thread and of all that it starts, before the kernel handles it: the page
/// table still shows what was there.
perf_event_attr fault_event() {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_PAGE_FAULTS;
  event.sample_period = 1;
  event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
                      PERF_SAMPLE_CPU | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE;
  event.inherit = 1;
  tell_of_process(event);
  tell_time(event);
  return event;
}

/// Asks for less where the kernel refused: without privileges only what the program itself does and
/// sees; before Linux 5.11 no size of the page. False when there is no less.
bool ask_for_less(perf_event_attr& event, int errno_value) {
  const bool denied = errno_value == EACCES || errno_value == EPERM;
  if (denied && event.exclude_kernel == 0) {
    event.exclude_kernel = 1;
    event.sample_type &= ~std::uint64_t{PERF_SAMPLE_PHYS_ADDR};
    return true;
  }
  if (errno_value == EINVAL && (event.sample_type & PERF_SAMPLE_DATA_PAGE_SIZE) != 0) {
    event.sample_type &= ~std::uint64_t{PERF_SAMPLE_DATA_PAGE_SIZE};
    return true;
  }
  return false;
}

Result<std::uint64_t> measure_fault_ns(os::Os& os, const std::function<std::uint64_t()>& now_ns) {
  constexpr std::size_t pages = 257;
  const std::size_t page_bytes = os.page_bytes();
  void* memory = nullptr;
  if (const int error = os.map_memory(pages * page_bytes, memory)) {
    return failed("there is no memory to time page faults with", "free some memory", -error);
  }
  auto* const first = static_cast<volatile char*>(memory);
  std::vector<std::uint64_t> times;
  for (std::size_t page = 0; page < pages; ++page) {
    const std::uint64_t before = now_ns();
    first[page * page_bytes] = 1;
    times.push_back(now_ns() - before);
  }
  os.unmap_memory(memory, pages * page_bytes);
  std::nth_element(times.begin(), times.begin() + pages / 2, times.end());
  return times[pages / 2];
}

/// A program that follows a null pointer faults and uses nothing, and may do so often: a JVM does
/// instead of looking.
constexpr std::uint64_t null_page_bytes = 4096;
/// Addresses from here on are the kernel's own.
constexpr std::uint64_t kernel_half = std::uint64_t{1} << 63;

std::uint8_t shift_of(std::uint64_t page_bytes) {
  return page_bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(__builtin_ctzll(page_bytes));
}

}  // namespace

Result<void> FaultEvents::check(os::Os& os, pid_t pid) {
  perf_event_attr event = fault_event();
  event.disabled = 1;
  for (;;) {
    int descriptor = -1;
    const int error = os.open_perf_event(event, pid, -1, descriptor);
    if (error == 0) {
      os.close_file(descriptor);
      return {};
    }
    if (!ask_for_less(event, -error)) return Unexpected(event_refusal(os, -error));
  }
}

bool FaultEvents::tells_presence() const {
  return (event_.sample_type & (PERF_SAMPLE_DATA_PAGE_SIZE)) != 0;
}

int FaultEvents::add(pid_t thread, bool starts) {
  if (!decided_) event_ = fault_event();
  event_.disabled = starts ? 1 : 0;
  event_.enable_on_exec = starts ? 1 : 0;
  int error = 0;
  while ((error = rings_.add(event_, thread)) != 0 && !decided_) {
    if (!ask_for_less(event_, -error)) break;
  }
  if (error == 0) decided_ = true;
  return error;
}

Result<std::unique_ptr<FaultEvents>> FaultEvents::open(const Sampling& sampling, pid_t pid) {
  const auto cost = measure_fault_ns(sampling.os, sampling.now_ns);
  if (!cost) return cost.as_unexpected();
  std::unique_ptr<FaultEvents> faults(new FaultEvents(sampling.os));
  faults->fault_ns_ = *cost;
  const auto opened = faults->open_threads(sampling, pid, sampling.request.pid == 0);
  if (!opened) return opened.as_unexpected();
  return faults;
}

Result<void> FaultEvents::open_threads(const Sampling& sampling, pid_t pid, bool starts) {
  if (auto done = rings_.open(sampling.nodes.cpus()); !done) return done;
  std::vector<pid_t> threads{pid};
  if (!starts) {
    if (SystemFiles{os_}.list_threads(pid, threads) < 0 || threads.empty()) {
      return Unexpected(event_refusal(os_, ESRCH));
    }
  }
  for (const pid_t thread : threads) {
    const int error = add(thread, starts);
    // A thread may end meanwhile.
    if (error != 0 && (error != -ESRCH || thread == pid)) {
      return Unexpected(event_refusal(os_, -error));
    }
  }
  return {};
}

void log_process_record(const PerfRecord& record, ProcessLog& processes) {
  if (record.type == PERF_RECORD_FORK) {
    const auto fork = decode_perf_fork(record);
    if (!fork) return;
    const auto pid = static_cast<pid_t>(fork->pid);
    if (fork->pid != fork->parent) processes.add_process(pid);
    processes.add_thread(pid, static_cast<pid_t>(fork->tid));
  } else if (record.type == PERF_RECORD_COMM) {
    const auto name = decode_perf_name(record);
    if (!name) return;
    if (name->exec) processes.add_process(static_cast<pid_t>(name->pid));
    processes.add_thread(static_cast<pid_t>(name->pid), static_cast<pid_t>(name->tid), name->name);
  } else if (record.type == PERF_RECORD_MMAP2) {
    const auto mapping = decode_perf_mapping(record);
    if (!mapping) return;
    const std::string path = mapping->path.starts_with("//anon") ? "" : mapping->path;
    processes.add_mapping(static_cast<pid_t>(mapping->pid),
                          {mapping->begin, mapping->begin + mapping->bytes, mapping->permissions,
                           mapping->offset, path});
  }
}

void FaultEvents::take(const PerfRecord& record, Sampling& sampling,
                       std::vector<PageFault>& faults) {
  if (record.type == PERF_RECORD_SAMPLE) {
    const auto sample = decode_perf_sample(record, event_.sample_type);
    if (!sample || sample->address < null_page_bytes || sample->address >= kernel_half) return;
    const bool present = tells_presence() ? sample->page_bytes != 0 : sample->physical != 0;
    faults.push_back({*sample, std::exchange(lost_, false), present});
  } else if (record.type == PERF_RECORD_LOST) {
    lost_ = true;
    sampling.budget.add_lost(decode_perf_lost(record).value_or(0));
  } else {
    log_process_record(record, sampling.processes);
  }
}

std::vector<PageFault> FaultEvents::read(Sampling& sampling) {
  std::vector<PageFault> faults;
  rings_.read([&](const PerfRecord& record) { take(record, sampling, faults); });
  std::stable_sort(faults.begin(), faults.end(), [](const PageFault& a, const PageFault& b) {
    return a.event.time_ns < b.event.time_ns;
  });
  return faults;
}

Sample sample_of(const PageFault& fault, const NodeLookup& nodes) {
  const PerfSample& event = fault.event;
  Sample sample;
  sample.time_ns = event.time_ns;
  sample.address = event.address;
  sample.physical = event.physical;
  sample.instruction = event.instruction;
  sample.pid = event.pid;
  sample.tid = event.tid;
  sample.cpu = static_cast<std::uint16_t>(event.cpu);
  sample.cpu_node = nodes.of_cpu(event.cpu);
  sample.memory_node = nodes.of_physical(event.physical);
  sample.page_shift = shift_of(event.page_bytes);
  if (event.kernel) sample.flags |= sample_kernel;
  if (fault.lost_before) sample.flags |= sample_lost_before;
  return sample;
}

void find_memory_nodes(os::Os& os, std::vector<Sample>& samples) {
  std::map<pid_t, std::vector<std::size_t>> unknown;  // By process, as move_pages takes them.
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].memory_node != unknown_sample_id) continue;
    unknown[static_cast<pid_t>(samples[i].pid)].push_back(i);
  }
  const std::uint64_t in_page = os.page_bytes() - 1;
  for (const auto& [pid, indices] : unknown) {
    std::vector<void*> pages;
    for (const std::size_t i : indices) {
      pages.push_back(reinterpret_cast<void*>(samples[i].address & ~in_page));
    }
    std::vector<int> nodes;
    if (query_pages(os, pid, pages, nodes) < 0) continue;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      if (nodes[k] < 0) continue;
      samples[indices[k]].memory_node = static_cast<std::uint16_t>(nodes[k]);
    }
  }
}

}  // namespace homenode::sensing
