#include "sensing/stack_extent.h"

#include <algorithm>

#include "base/sizes.h"
#include "base/words.h"

namespace homenode::sensing {
namespace {

constexpr std::uint64_t page_bytes = 4096;  // Stacks are of whole pages of any size.
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

std::optional<Extent> stack_extent(const std::vector<MapsEntry>& entries, Extent mapping,
                                   const ThreadStack& stack) {
  const bool guarded =
      std::any_of(entries.begin(), entries.end(), [&mapping](const MapsEntry& entry) {
        return entry.end == mapping.first && !entry.accessible;
      });
  const std::uint64_t usual = stack.usual_bytes;
  Extent extent = mapping;
  if (stack.control_block) {
    extent.end = std::min(mapping.end, (*stack.control_block / page_bytes + 1) * page_bytes);
    const bool far = usual > 0 && extent.end - mapping.first > usual;
    if (!guarded && far) {
      extent.first = std::min(extent.end - usual, stack.pointer / page_bytes * page_bytes);
    }
  } else if (guarded && usual > 0 && usual < mapping.end - mapping.first) {
    extent.end = mapping.first + usual;
  }
  if (extent == mapping || stack.pointer >= extent.end) return std::nullopt;
  return extent;
}

std::vector<Mapping> divided(const Mapping& whole, Extent stack,
                             const std::map<NodeId, std::uint64_t>& in_stack,
                             const std::map<NodeId, std::uint64_t>& below) {
  std::map<NodeId, std::uint64_t> above(whole.pages.begin(), whole.pages.end());
  for (const auto* const taken : {&in_stack, &below}) {
    for (const auto& [node, pages] : *taken) above[node] -= std::min(above[node], pages);
  }
  const bool ends_it = stack.end == *whole.end;
  std::vector<Mapping> parts;
  const auto add = [&](Extent extent, const std::map<NodeId, std::uint64_t>& counts) {
    if (extent.first == extent.end) return;
    Mapping& part = parts.emplace_back(whole);
    part.first = extent.first;
    part.end = extent.end;
    part.pages.clear();
    for (const auto& [node, pages] : counts) {
      if (pages > 0) part.pages.emplace_back(node, pages);
    }
    part.anon_pages = std::min(whole.anon_pages, part.page_count());
    if (ends_it ? extent.end == stack.first : extent.first == stack.end) return;
    if (part.transparent_huge) part.transparent_huge = Bytes();
    if (part.swapped) part.swapped = Bytes();
  };
  add({whole.first, stack.first}, below);
  add(stack, in_stack);
  add({stack.end, *whole.end}, above);
  return parts;
}

}  // namespace homenode::sensing
