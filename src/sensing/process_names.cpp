#include "sensing/process_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/words.h"
#include "sensing/thread_files.h"

namespace homenode::sensing {
namespace {

/// It has ended meanwhile, or is hidden from this person (hidepid in proc(5)).
bool is_gone(int result) {
  return result == -ENOENT || result == -ESRCH || result == -EACCES || result == -EPERM;
}

Unexpected cannot_tell(const std::string& path, int result) {
  return failed(fmt::format("cannot read {}, so that process may have the name too", path),
                "give the process's PID", -result);
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0.
}

}  // namespace

Result<std::vector<ProcessName>> find_processes(const SystemFiles& files, const std::string& name) {
  std::vector<pid_t> ids;
  if (const int result = files.list_numbers("/proc", ids); result < 0) {
    return failed("cannot list /proc", "check that it is mounted, or give the process's PID",
                  -result);
  }
  std::vector<ProcessName> found;
  for (pid_t id : ids) {
    std::string text;
    const std::string stat_file = fmt::format("/proc/{}/stat", id);
    if (const int result = files.read(stat_file, text); result < 0) {
      if (is_gone(result)) continue;
      return cannot_tell(stat_file, result);
    }
    const auto stat = parse_stat(text);
    if (!stat || stat->ended) continue;
    std::string words;
    const std::string words_file = fmt::format("/proc/{}/cmdline", id);
    if (const int result = files.read(words_file, words); result < 0) {
      if (is_gone(result)) continue;
      return cannot_tell(words_file, result);
    }
    if (words.empty()) continue;  // As threads of the kernel have it.
    std::string_view rest = words;
    const std::string_view first = take_until(rest, '\0');
    if (stat->name != name && last_part(first) != name) continue;
    while (!words.empty() && words.back() == '\0') words.pop_back();
    std::replace(words.begin(), words.end(), '\0', ' ');
    found.push_back({id, stat->name, words});
  }
  return found;
}

}  // namespace homenode::sensing
