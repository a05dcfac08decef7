#include "placement/threads/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/id_list.h"
#include "placement/threads/domains.h"
#include "placement/threads/syntax.h"

namespace homenode::placement {
namespace {

struct Range {
  unsigned first = 0;
  unsigned last = 0;
  unsigned stride = 1;
  unsigned run = 1;
  std::vector<unsigned> offsets;
};

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

bool take_into(std::string_view& text, unsigned& number) {
  const auto taken = take_number(text);
  if (taken) number = *taken;
  return taken.has_value();
}

std::optional<Range> parse_range(std::string_view part) {
  Range range;
  if (!take_into(part, range.first)) return std::nullopt;
  range.last = range.first;
  if (take(part, '-')) {
    if (!take_into(part, range.last) || range.last < range.first) return std::nullopt;
    if (take(part, ':')) {
      if (!take_into(part, range.stride) || range.stride == 0) return std::nullopt;
      if (take(part, '.') && (!take_into(part, range.run) || range.run == 0)) return std::nullopt;
    }
  }
  while (take(part, '+')) {
    if (unsigned offset = 0; take_into(part, offset)) {
      range.offsets.push_back(offset);
    } else {
      return std::nullopt;
    }
  }
  return part.empty() ? std::optional(range) : std::nullopt;
}

/// False when there would be too many.
bool append(const Range& range, std::vector<unsigned>& numbers) {
  for (unsigned base = range.first; base <= range.last; base += range.stride) {
    const unsigned end = std::min(range.last - base, range.run - 1) + base;
    for (unsigned number = base; number <= end; ++number) {
      numbers.push_back(number);
      for (unsigned offset : range.offsets) numbers.push_back(number + offset);
      if (numbers.size() > max_map_entries) return false;
    }
  }
  return true;
}

}  // namespace

Result<std::vector<unsigned>> parse_charm_numbers(std::string_view text) {
  std::vector<unsigned> numbers;
  for (std::string_view part : split(text, ',')) {
    const auto range = parse_range(part);
    if (!range || !append(*range, numbers)) {
      return unreadable(part, text, "write FIRST-LAST:STRIDE.RUN+OFFSET, such as 0-7:2.1+8");
    }
  }
  return numbers;
}

bool has_logical_numbers(std::string_view text) {
  return text.size() > 1 && (text[0] == 'L' || text[0] == 'l') && text[1] >= '0' && text[1] <= '9';
}

Result<ThreadMap> parse_charm(const machine::Machine& machine, std::string_view text) {
  const bool logical = has_logical_numbers(text);
  const auto numbers = parse_charm_numbers(logical ? text.substr(1) : text);
  if (!numbers && logical) return unreadable(text, text, "write it as in L0-7:2.1+8");
  if (!numbers) return numbers.as_unexpected();
  const std::vector<CpuId> order =
      logical ? core_by_core(machine, machine.allowed_cpus) : std::vector<CpuId>{};
  ThreadMap map;
  for (unsigned number : *numbers) {
    if (logical && number >= order.size()) {
      return bad_usage(
          fmt::format("the thread expression '{}' names the logical CPU {}", text, number),
          fmt::format("choose from 0 to {}", order.size() - 1));
    }
    map.cpus_by_rank.push_back(CpuSet{logical ? order[number] : CpuId(number)});
  }
  return checked(machine, std::move(map), text);
}

}  // namespace homenode::placement
