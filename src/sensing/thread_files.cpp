#include "sensing/thread_files.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/sizes.h"
#include "base/words.h"
#include "machine/kernel_files.h"

namespace homenode::sensing {
namespace {

// The number of each word of `stat` behind the name, counted from 1 as in proc(5).
constexpr int state_word = 3;
constexpr int flags_word = 9;
constexpr int user_ticks_word = 14;
constexpr int kernel_ticks_word = 15;
constexpr int threads_word = 20;
constexpr int started_word = 22;
constexpr int resident_word = 24;
constexpr int last_cpu_word = 39;
constexpr int scheduling_word = 41;

// Of the flags: PF_EXITING and PF_KTHREAD in the kernel's include/linux/sched.h.
constexpr std::uint64_t exiting = 0x4;
constexpr std::uint64_t kernel_thread = 0x200000;

bool is_read(int word) {
  constexpr int words[] = {flags_word,   user_ticks_word, kernel_ticks_word, threads_word,
                           started_word, resident_word,   last_cpu_word,     scheduling_word};
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// SCHED_FIFO, SCHED_RR and SCHED_DEADLINE of sched(7).
bool is_realtime(std::uint64_t scheduling) {
  return scheduling == 1 || scheduling == 2 || scheduling == 6;
}

/// Reads one word of the file into `stat`; false where it is not what it has to be.
bool read_word(int word, std::string_view value, TaskStat& stat) {
  if (word == state_word) {
    if (value.size() == 1) stat.state = value.front();
    return value.size() == 1;
  }
  if (!is_read(word)) return true;
  const auto number = number_in(value);
  if (!number) return false;
  if (word == flags_word) {
    stat.of_kernel = (*number & kernel_thread) != 0;
    stat.ended = (*number & exiting) != 0 || stat.state == 'Z' || stat.state == 'X';
  } else if (word == started_word) {
    stat.started = *number;
  } else if (word == user_ticks_word || word == kernel_ticks_word) {
    stat.cpu_ticks += *number;
  } else if (word == threads_word) {
    stat.threads = *number;
  } else if (word == resident_word) {
    stat.resident_pages = *number;
  } else if (word == scheduling_word) {
    stat.realtime = is_realtime(*number);
  } else {
    if (*number > std::numeric_limits<unsigned>::max()) return false;
    stat.last_cpu = CpuId(static_cast<unsigned>(*number));
  }
  return true;
}

}  // namespace

std::optional<TaskStat> parse_stat(std::string_view text) {
  // The name may hold anything, brackets too: it ends at the last one.
  const std::size_t open = text.find(" (");
  const std::size_t close = text.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) {
    return std::nullopt;
  }
  const auto id = number_in<pid_t>(text.substr(0, open));
  if (!id) return std::nullopt;
  TaskStat stat;
  stat.id = *id;
  stat.name = text.substr(open + 2, close - open - 2);
  std::string_view rest = text.substr(close + 2);
  for (int word = state_word; word <= scheduling_word; ++word) {
    const std::string_view value = take_word(rest);
    if (value.empty() && word > last_cpu_word) break;  // Kernels before 2.5 end here.
    if (!read_word(word, value, stat)) return std::nullopt;
  }
  return stat;
}

TaskLimits parse_status(std::string_view text) {
  return {machine::allowed_cpus_in(text).value_or(CpuSet{}),
          machine::allowed_nodes_in(text).value_or(NodeSet{})};
}

TaskOwner parse_owner(std::string_view text) {
  TaskOwner owner;
  std::string_view users = machine::value_after(text, "Uid:");
  take_word(users);  // The real one.
  owner.user = number_in<unsigned>(take_word(users));
  owner.tracer = number_in<pid_t>(machine::value_after(text, "TracerPid:")).value_or(0);
  owner.resident = machine::memory_amount(text, "VmRSS:").value_or(Bytes());
  owner.locked = machine::memory_amount(text, "VmLck:").value_or(Bytes());
  return owner;
}

std::optional<std::uint64_t> stack_pointer_in(std::string_view text) {
  // "NUMBER ARGUMENTS… SP PC"; "-1 SP PC" outside a call; "running".
  std::string_view before;
  std::string_view last;
  std::string_view line = take_line(text);
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    before = last;
    last = word;
  }
  if (!before.starts_with("0x")) return std::nullopt;
  return number_in(before.substr(2), 16);
}

}  // namespace homenode::sensing
