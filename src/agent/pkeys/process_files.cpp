#include "agent/pkeys/process_files.h"

#include <fcntl.h>

#include <csignal>
#include <cstring>

#include "agent/pkeys/entry.h"
#include "agent/pkeys/file_text.h"

namespace homenode::agent::pkeys {
namespace {

/// The kernel's form of an entry of a folder.
struct FolderEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[];
};

/// "/proc/self/task/TID/NAME".
int open_task_file(std::uint32_t tid, const char* name) {
  char path[64] = "/proc/self/task/";
  char digits[12];
  std::size_t count = 0;
  for (; tid > 0 || count == 0; tid /= 10) digits[count++] = static_cast<char>('0' + tid % 10);
  std::size_t at = std::strlen(path);
  while (count > 0) path[at++] = digits[--count];
  std::strcpy(path + at, name);
  return static_cast<int>(kernel_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
}

/// A text that ends with a 0; empty where it cannot be read.
template <std::size_t room>
void read_again(int& file, std::uint32_t tid, const char* name, char (&text)[room]) {
  if (file < 0) file = open_task_file(tid, name);
  const long size = file < 0 ? -1 : kernel_call(SYS_pread64, file, text, room - 1, 0);
  text[size > 0 ? static_cast<std::size_t>(size) : 0] = '\0';
}

/// A decimal field of a thread's status, counted from 1; false where that cannot be read.
bool read_status(int& file, std::uint32_t tid, int wanted, std::uint64_t& value) {
  char text[1024];
  read_again(file, tid, "/stat", text);
  // The name in brackets may hold anything; the last bracket ends it. Then fields 3 and on.
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < wanted; ++field) at = std::strchr(at + 1, ' ');
  if (at == nullptr) return false;
  ++at;
  value = take_decimal(at);
  return true;
}

/// How many threads the process has; 0 where that cannot be read. By the sampler's thread alone.
std::size_t count_threads() {
  static constinit int own_status_file = -1;
  constexpr int threads_field = 20;
  const auto own_tid = static_cast<std::uint32_t>(kernel_call(SYS_gettid));
  std::uint64_t count = 0;
  return read_status(own_status_file, own_tid, threads_field, count) ? count : 0;
}

/// Where threads end while the folder is read, the kernel leaves out others that live: it goes on
/// by how many came before. All that are listed live on after `live` was counted, so it counts no
/// more.
bool is_whole(const TaskList& list, std::size_t live) {
  if (list.count != live) return false;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (!is_alive(list.tids[i])) return false;
  }
  return true;
}

}  // namespace

bool is_alive(std::uint32_t tid) {
  return kernel_call(SYS_tgkill, kernel_call(SYS_getpid), tid, 0) == 0;
}

bool read_tasks(TaskList& list) {
  static constinit char entries[8192];
  list.count = 0;
  const long folder =
      kernel_call(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  long size = 0;
  while ((size = kernel_call(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    for (long at = 0; at < size;) {
      const auto& entry = reinterpret_cast<const FolderEntry&>(entries[at]);
      at += entry.size;
      if (!is_digit(entry.name[0])) continue;
      if (list.count == max_tasks) {
        size = -1;
        break;
      }
      const char* name = entry.name;
      list.tids[list.count++] = static_cast<std::uint32_t>(take_decimal(name));
    }
    if (size < 0) break;
  }
  kernel_call(SYS_close, folder);
  return size == 0 && is_whole(list, count_threads());
}

ThreadCall read_call(Thread& thread) {
  char text[256];
  read_again(thread.call_file, thread.tid.load_relaxed(), "/syscall", text);
  ThreadCall call;
  const char* at = text;
  if (text[0] == '-') {
    call.state = ThreadCall::State::outside;
  } else if (is_digit(text[0])) {
    call.number = take_decimal(at);
    for (std::uint64_t& argument : call.arguments) {
      if (*at == ' ') ++at;
      argument = take_hexadecimal(at);
    }
    if (*at == ' ') ++at;
    (void)take_hexadecimal(at);  // The stack pointer.
    if (*at != ' ') return call;
    ++at;
    call.instruction = take_hexadecimal(at);
    call.state = ThreadCall::State::waiting;
  }
  return call;
}

bool blocks_signals(Thread& thread) {
  constexpr int blocked_field = 32;
  std::uint64_t blocked = 0;
  if (!read_status(thread.status_file, thread.tid.load_relaxed(), blocked_field, blocked)) {
    return true;
  }
  return (blocked >> (SIGSEGV - 1) & 1U) != 0 || (blocked >> (SIGSYS - 1) & 1U) != 0;
}

}  // namespace homenode::agent::pkeys
