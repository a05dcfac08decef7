#include "sensing/stack_extent.h"

#include <algorithm>

#include "base/sizes.h"
#include "base/words.h"

namespace homenode::sensing {
namespace {

constexpr std::uint64_t unlimited_stack_bytes = std::uint64_t{2} << 20U;

}  // namespace

std::optional<std::uint64_t> usual_stack_bytes(std::string_view limits) {
  constexpr std::string_view name = "Max stack size";
  while (!limits.empty()) {
    std::string_view line = take_line(limits);
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    const std::string_view soft = take_word(line);
    if (soft == "unlimited") return unlimited_stack_bytes;
    return number_in(soft);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> stack_end(const std::vector<MapsEntry>& entries,
                                       std::uint64_t mapping_first, std::uint64_t mapping_end,
                                       std::uint64_t pointer, std::uint64_t usual) {
  const auto guard =
      std::find_if(entries.begin(), entries.end(),
                   [mapping_first](const MapsEntry& entry) { return entry.end == mapping_first; });
  if (guard == entries.end() || guard->accessible) return std::nullopt;
  if (usual == 0 || usual >= mapping_end - mapping_first) return std::nullopt;
  const std::uint64_t end = mapping_first + usual;
  return pointer < end ? std::optional(end) : std::nullopt;
}

}  // namespace homenode::sensing
