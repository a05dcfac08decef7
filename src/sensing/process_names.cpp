#include "sensing/process_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "sensing/thread_files.h"
#include "sensing/words.h"

namespace homenode::sensing {
namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0.
}

}  // namespace

Result<std::vector<ProcessName>> find_processes(const SystemFiles& files, const std::string& name) {
  std::vector<pid_t> ids;
  if (const int result = files.list_numbers("/proc", ids); result < 0) {
    return failed("cannot list /proc", "is it mounted? name the process by its number", -result);
  }
  std::vector<ProcessName> found;
  for (pid_t id : ids) {
    std::string text;
    if (files.read(fmt::format("/proc/{}/stat", id), text) < 0) continue;
    const auto stat = parse_stat(text);
    if (!stat || stat->state == 'Z' || stat->state == 'X') continue;
    std::string words;
    // Threads of the kernel have an empty command line.
    if (files.read(fmt::format("/proc/{}/cmdline", id), words) < 0 || words.empty()) continue;
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
