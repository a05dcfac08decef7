#include "placement/threads/syntax.h"

#include <fmt/format.h>

#include "base/id_list.h"

namespace homenode::placement {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<unsigned> whole_number(std::string_view text) {
  const auto number = take_number(text);
  return text.empty() ? number : std::nullopt;
}

Unexpected unreadable(std::string_view part, std::string_view text, std::string next) {
  return bad_usage(fmt::format("cannot read '{}' in the thread expression '{}'", part, text),
                   std::move(next));
}

Result<ThreadMap> checked(const machine::Machine& machine, ThreadMap map, std::string_view text) {
  for (const CpuSet& cpus : map.cpus_by_rank) {
    const CpuSet missing = cpus - machine.allowed_cpus;
    if (!missing.empty()) {
      return bad_usage(fmt::format("the thread expression '{}' names CPUs that do not exist or are "
                                   "not allowed here: {}",
                                   text, to_list(missing)),
                       "choose among the CPUs " + to_list(machine.allowed_cpus));
    }
    if (cpus.empty()) {
      return bad_usage(fmt::format("a place in the thread expression '{}' has no CPU", text),
                       "choose among the CPUs " + to_list(machine.allowed_cpus));
    }
  }
  if (map.cpus_by_rank.empty() || map.cpus_by_rank.size() > max_map_entries) {
    return bad_usage(fmt::format("the thread expression '{}' expands to {} entries", text,
                                 map.cpus_by_rank.size()),
                     fmt::format("write 1 to {} entries", max_map_entries));
  }
  return map;
}

}  // namespace homenode::placement
