#include "sensing/process_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "sensing/control_block.h"
#include "sensing/heap_owners.h"
#include "sensing/page_query.h"
#include "sensing/stack_extent.h"
#include "sensing/thread_files.h"

namespace homenode::sensing {
namespace {

std::string path_of(pid_t pid, const char* file) {
  return fmt::format("/proc/{}/{}", pid, file);
}

Unexpected cannot_read(pid_t pid, const char* file, int result) {
  const std::string tried = fmt::format("cannot read {}", path_of(pid, file));
  switch (-result) {
    case EACCES:
    case EPERM:
      return not_supported(tried,
                           "the process belongs to another user or holds privileges of its own: "
                           "run as that user or with CAP_SYS_PTRACE (sudo; docker: --cap-add "
                           "SYS_PTRACE)",
                           -result);
    case ENOENT:
    case ESRCH:
      return failed(tried, "the process has ended, or is hidden from you (see hidepid in proc(5))",
                    -result);
    default:
      return failed(tried, "see proc(5)", -result);
  }
}

std::optional<NodeId> node_of(const std::vector<NodeFacts>& nodes, CpuId cpu) {
  for (const NodeFacts& node : nodes) {
    if (node.cpus.contains(cpu)) return node.id;
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(const SystemFiles& files, pid_t pid, ReadOptions options)
      : files_(files), options_(options) {
    survey_.pid = pid;
  }

  Result<Survey> read() {
    if (const auto done = read_process(); !done) return done.as_unexpected();
    const auto nodes = read_nodes(files_, survey_.allowed_memory);
    if (nodes) survey_.nodes = *nodes;
    note_unread_nodes(nodes);
    std::string numa;
    const int result = files_.read(path_of(survey_.pid, "numa_maps"), numa);
    // The kernel has no such file without CONFIG_NUMA, and opening it is refused like the others.
    if (result == -ENOENT) {
      if (!nodes) return nodes.as_unexpected();  // Whether there is but one is all that is known.
      if (const auto done = read_without_numa_maps(); !done) return done.as_unexpected();
    } else if (result == -ESRCH) {
      return without_memory();
    } else if (result < 0) {
      return cannot_read(survey_.pid, "numa_maps", result);
    } else if (const auto done = read_with_numa_maps(numa); !done) {
      return done.as_unexpected();
    }
    if (!options_.only_numa_maps) {
      read_threads();
      find_heap_owners(files_, survey_);
    }
    return std::move(survey_);
  }

 private:
  Result<void> read_process() {
    std::string text;
    if (const int result = files_.read(path_of(survey_.pid, "stat"), text); result < 0) {
      if (result == -ENOENT || result == -ESRCH) {
        return failed(fmt::format("there is no process {}", survey_.pid),
                      "'ps -e' lists the running processes");
      }
      return cannot_read(survey_.pid, "stat", result);
    }
    const auto stat = parse_stat(text);
    if (!stat) {
      return failed(fmt::format("cannot parse {}", path_of(survey_.pid, "stat")),
                    "check that /proc is mounted");
    }
    survey_.name = stat->name;
    survey_.started = stat->started;
    of_kernel_ = stat->of_kernel;
    if (const int result = files_.read(path_of(survey_.pid, "status"), text); result == 0) {
      survey_.allowed_memory = parse_status(text).memory_nodes;
    } else {
      note(path_of(survey_.pid, "status"), "the nodes that it may use are unknown", result);
    }
    return {};
  }

  /// What the survey leaves out because a file could not be read.
  void note(const std::string& path, const char* what_is_left_out, int result) {
    survey_.notes.push_back(
        failed(fmt::format("cannot read {}", path), what_is_left_out, -result).take().message());
  }

  void note_unread_nodes(const Result<std::vector<NodeFacts>>& nodes) {
    if (!nodes) survey_.notes.push_back(nodes.error().message());
    for (const NodeFacts& node : survey_.nodes) {
      if (node.cpus_known && node.memory_known) continue;
      survey_.notes.push_back(fmt::format("cannot read the {} of node {}",
                                          node.cpus_known ? "memory" : "CPUs", node.id.value()));
    }
  }

  [[nodiscard]] Unexpected without_memory() const {
    return failed(
        fmt::format("process {} ({}) has no memory of its own", survey_.pid, survey_.name),
        of_kernel_ ? "it is a kernel thread: name a user process" : "it has ended or is ending");
  }

  Result<void> read_with_numa_maps(const std::string& numa) {
    const NumaMaps maps = parse_numa_maps(numa);
    if (maps.mappings.empty() && maps.unreadable_lines == 0) return without_memory();
    if (maps.unreadable_lines > 0) {
      survey_.notes.push_back(
          fmt::format("{} lines of numa_maps could not be read", maps.unreadable_lines));
    }
    survey_.source = "numa_maps";
    bool amounts = false;
    if (!options_.only_numa_maps) entries_ = read_entries(amounts);
    survey_.mappings = join(maps.mappings, entries_, amounts);
    return {};
  }

  /// What maps or smaps says; nothing and a note where that fails.
  std::vector<MapsEntry> read_entries(bool& amounts) {
    const char* const file = options_.amounts ? "smaps" : "maps";
    std::string text;
    if (const int result = files_.read(path_of(survey_.pid, file), text); result < 0) {
      survey_.notes.push_back(cannot_read(survey_.pid, file, result).take().message());
      return {};
    }
    amounts = options_.amounts;
    return parse_maps(text);
  }

  Result<void> read_without_numa_maps() {
    std::string text;
    if (const int result = files_.read(path_of(survey_.pid, "smaps"), text); result < 0) {
      return cannot_read(survey_.pid, "smaps", result);
    }
    entries_ = parse_maps(text);
    if (entries_.empty()) return without_memory();
    const bool single = survey_.nodes.size() == 1;
    survey_.source = single ? "smaps and the only node" : "smaps and move_pages";
    survey_.notes.emplace_back(
        "this kernel has no numa_maps: policies and hugetlbfs pages are not shown");
    const std::uint64_t page_bytes = files_.os.page_bytes();
    std::vector<NumaMapping> numa;
    for (const MapsEntry& entry : entries_) {
      NumaMapping mapping;
      mapping.first = entry.first;
      mapping.page_size = {page_bytes};
      mapping.heap = entry.name == "[heap]";
      mapping.stack = entry.name == "[stack]";
      if (entry.name.starts_with('/')) mapping.file = entry.name;
      const std::uint64_t present = entry.resident.value / page_bytes;
      if (present > 0 && single) mapping.pages = {{survey_.nodes.front().id, present}};
      if (present > 0 && !single) {
        if (const auto done = query(entry, mapping); !done) return done;
      }
      numa.push_back(std::move(mapping));
    }
    survey_.mappings = join(numa, entries_, true);
    return {};
  }

  Result<void> query(const MapsEntry& entry, NumaMapping& mapping) {
    std::map<NodeId, std::uint64_t> counts;
    if (const int result = count_pages(entry.first, entry.end, mapping.page_size, counts);
        result < 0) {
      return not_supported(
          fmt::format("cannot find out where the pages of process {} are", survey_.pid),
          "this kernel has no numa_maps and refuses move_pages: run as the process's user, "
          "with CAP_SYS_PTRACE, or with a seccomp profile that allows it",
          -result);
    }
    mapping.pages.assign(counts.begin(), counts.end());
    return {};
  }

  /// Asks where each page of a range is. 0 or -errno.
  int count_pages(std::uint64_t first, std::uint64_t end, Bytes page_size,
                  std::map<NodeId, std::uint64_t>& counts) {
    const std::uint64_t pages = (end - first) / page_size.value;
    std::vector<int> status;
    // A large reservation is asked about piece by piece, so that its list of pages stays small.
    constexpr std::uint64_t piece_pages = std::uint64_t{1} << 20U;
    for (std::uint64_t start = 0; start < pages; start += piece_pages) {
      const PageRange piece{first + start * page_size.value, std::min(piece_pages, pages - start),
                            page_size};
      const int result = query_pages(files_.os, survey_.pid, addresses_of(piece), status);
      if (result < 0) return result;
      for (int node : status) {
        if (node >= 0) ++counts[NodeId(static_cast<unsigned>(node))];
      }
    }
    return 0;
  }

  void read_threads() {
    std::vector<pid_t> ids;
    const std::string folder = path_of(survey_.pid, "task");
    if (const int result = files_.list_numbers(folder, ids); result < 0) {
      survey_.notes.push_back(
          failed(fmt::format("cannot list {}", folder), "its threads are left out", -result)
              .take()
              .message());
      return;
    }
    survey_.with_threads = true;
    for (pid_t id : ids) read_thread(fmt::format("{}/{}/", folder, id));
    std::sort(survey_.threads.begin(), survey_.threads.end(),
              [](const ThreadFacts& a, const ThreadFacts& b) {
                return std::pair(a.started, a.id) < std::pair(b.started, b.id);
              });
  }

  void read_thread(const std::string& folder) {
    std::string text;
    const int result = files_.read(folder + "stat", text);
    if (result == -ENOENT || result == -ESRCH) return;  // It has ended meanwhile.
    const auto stat = parse_stat(result < 0 ? "" : text);
    if (!stat) {
      ++survey_.unread_threads;
      note(folder + "stat", "this thread is left out", result);
      return;
    }
    ThreadFacts thread{stat->id,
                       stat->name,
                       stat->state,
                       stat->started,
                       stat->last_cpu,
                       node_of(survey_.nodes, stat->last_cpu),
                       {}};
    if (const int limits = files_.read(folder + "status", text); limits == 0) {
      thread.allowed = parse_status(text).cpus;
    } else {
      note(folder + "status", "the CPUs that this thread may use are unknown", limits);
    }
    if (stat->id != survey_.pid) find_stack(folder + "syscall", stat->id);
    survey_.threads.push_back(std::move(thread));
  }

  /// Without the privilege to trace, which is no fault, stacks stay anonymous memory.
  void find_stack(const std::string& path, pid_t thread) {
    std::string text;
    const int result = files_.read(path, text);
    if (result == 0) {
      if (const auto pointer = stack_pointer_in(text)) name_stack(*pointer, thread);
    } else if (result != -EACCES && result != -EPERM && result != -ENOENT && result != -ESRCH) {
      note(path, "the stack of this thread counts as anonymous memory", result);
    }
  }

  /// The mapping that a thread's stack pointer is in is that thread's stack.
  void name_stack(std::uint64_t pointer, pid_t thread) {
    const auto after = std::upper_bound(
        survey_.mappings.begin(), survey_.mappings.end(), pointer,
        [](std::uint64_t value, const Mapping& mapping) { return value < mapping.first; });
    if (after == survey_.mappings.begin()) return;
    Mapping& mapping = *std::prev(after);
    if (!mapping.end || pointer >= *mapping.end) return;
    if (mapping.group != Group::anonymous || mapping.stack_of) return;
    const Extent whole{mapping.first, *mapping.end};
    ThreadStack stack{pointer, stack_bytes().value_or(0), {}};
    if (whole.end - whole.first != stack.usual_bytes) {
      stack.control_block = find_control_block(files_, survey_.pid, {pointer, whole.end});
    }
    auto index = static_cast<std::size_t>(&mapping - survey_.mappings.data());
    if (const auto extent = stack_extent(entries_, whole, stack)) {
      index = cut(index, *extent, thread);
    }
    survey_.mappings[index].group = Group::stack;
    survey_.mappings[index].stack_of = thread;
  }

  /// Read once, when a stack may share its mapping.
  std::optional<std::uint64_t> stack_bytes() {
    if (!stack_bytes_) {
      std::string text;
      const std::string path = path_of(survey_.pid, "limits");
      const int result = files_.read(path, text);
      if (result < 0 && result != -ENOENT && result != -ESRCH) {
        note(path, "memory right above a thread's stack counts as the stack", result);
      }
      stack_bytes_ = result < 0 ? std::nullopt : usual_stack_bytes(text);
    }
    return *stack_bytes_;
  }

  /// Makes two or three mappings of one that has a stack, and gives the stack's index.
  std::size_t cut(std::size_t index, Extent extent, pid_t thread) {
    const Mapping whole = survey_.mappings[index];
    std::map<NodeId, std::uint64_t> in_stack;
    std::map<NodeId, std::uint64_t> below;
    int result = count_pages(extent.first, extent.end, whole.page_size, in_stack);
    if (result >= 0) result = count_pages(whole.first, extent.first, whole.page_size, below);
    if (result < 0) {
      survey_.notes.push_back(
          failed(fmt::format("cannot see which pages are the stack of thread {}", thread),
                 "the whole mapping counts as it", -result)
              .take()
              .message());
      return index;
    }
    const std::vector<Mapping> parts = divided(whole, extent, in_stack, below);
    const auto at =
        survey_.mappings.erase(survey_.mappings.begin() + static_cast<std::ptrdiff_t>(index));
    survey_.mappings.insert(at, parts.begin(), parts.end());
    return extent.first == whole.first ? index : index + 1;
  }

  const SystemFiles& files_;
  ReadOptions options_;
  Survey survey_;
  std::vector<MapsEntry> entries_;
  /// What /proc/PID/limits says, once it has been read.
  std::optional<std::optional<std::uint64_t>> stack_bytes_;
  bool of_kernel_ = false;
};

}  // namespace

Result<Survey> read_survey(const SystemFiles& files, pid_t pid, ReadOptions options) {
  return Reader(files, pid, options).read();
}

bool is_running(const SystemFiles& files, pid_t pid, std::uint64_t started) {
  std::string text;
  if (const int result = files.read(path_of(pid, "stat"), text); result < 0) {
    return result != -ENOENT && result != -ESRCH;  // Not known to have ended.
  }
  const auto stat = parse_stat(text);
  return stat && stat->started == started && !stat->ended;
}

}  // namespace homenode::sensing
