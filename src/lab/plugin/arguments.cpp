#include "lab/plugin/arguments.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "lab/timing/limits.h"

namespace homenode::lab {
namespace {

// Ids that fit every counter table.
constexpr unsigned max_node = 1023;

Unexpected refuse(std::string_view word, std::string_view why) {
  return Unexpected(Error{ErrorCode::bad_usage, 0,
                          "plugin argument \"" + std::string(word) + "\": " + std::string(why),
                          "see the plugin's arguments.h for the form of each argument"});
}

/// Decimal, or hexadecimal after 0x; the whole text must be the number.
template <class Number>
std::optional<Number> number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  if (status != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

bool overlap(std::vector<NodeRange> ranges) {
  std::ranges::sort(ranges, {}, &NodeRange::base);
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].base - ranges[i - 1].base < ranges[i - 1].size) return true;
  }
  return false;
}

/// N:BASE:SIZE[+N:BASE:SIZE...]; empty, or why the text is refused.
std::string read_ranges(std::string_view text, std::vector<NodeRange>& ranges) {
  ranges.clear();
  for (const std::string_view part : split(text, '+')) {
    const auto fields = split(part, ':');
    if (fields.size() != 3) return "a range is NODE:BASE:SIZE";
    const auto node = number<unsigned>(fields[0]);
    const auto base = number<std::uint64_t>(fields[1]);
    const auto size = number<std::uint64_t>(fields[2]);
    if (!node || *node > max_node) return "a node is a number from 0 to 1023";
    if (!base || !size || *size == 0 || *base + *size < *base) return "bad base or size";
    ranges.push_back({NodeId(*node), *base, *size});
  }
  return overlap(ranges) ? "two ranges overlap" : "";
}

/// SIZE:WAYS:LINE, or 0; empty, or why the text is refused.
std::string read_cache(std::string_view text, CacheShape& cache) {
  cache = {};
  const auto fields = split(text, ':');
  const auto bytes = number<std::uint64_t>(fields[0]);
  if (bytes && *bytes == 0 && fields.size() == 1) return {};
  if (!bytes || fields.size() != 3) return "a cache is SIZE:WAYS:LINE in bytes, or 0 for none";
  const auto ways = number<unsigned>(fields[1]);
  const auto line = number<unsigned>(fields[2]);
  // 16 bytes is the widest access that QEMU makes; a wider line also bounds an access to two lines.
  if (!line || !limit("line_bytes").holds(*line)) return limit("line_bytes").complaint();
  if (!std::has_single_bit(*line)) return "a line is a power of two bytes";
  cache.line_bytes = *line;
  if (*bytes == 0) return {};
  if (!limit("counted_cache_bytes").holds(*bytes)) return limit("counted_cache_bytes").complaint();
  if (!ways || !limit("cache_ways").holds(*ways)) return limit("cache_ways").complaint();
  if (*bytes % (std::uint64_t{*ways} * *line) != 0) {
    return "the size is no multiple of ways times line size";
  }
  cache.bytes = *bytes;
  cache.ways = *ways;
  return {};
}

/// Where the path of that key goes; null for a key of another kind.
std::string* path_of(std::string_view key, Arguments& arguments) {
  if (key == "out") return &arguments.out;
  if (key == "timing") return &arguments.timing;
  if (key == "timeline") return &arguments.timeline;
  if (key == "samples") return &arguments.samples;
  return key == "clock" ? &arguments.clock : nullptr;
}

/// A size in bytes, with the limits on a unit of memory; empty, or why it is refused.
std::string read_unit(std::string_view text, std::uint64_t& unit_bytes) {
  const auto bytes = number<std::uint64_t>(text);
  if (!bytes || !limit("sample_unit_bytes").holds(*bytes)) {
    return limit("sample_unit_bytes").complaint();
  }
  if (!std::has_single_bit(*bytes)) return "a unit is a power of two bytes";
  unit_bytes = *bytes;
  return {};
}

/// Empty, or why the value is refused.
std::string read_value(std::string_view key, std::string_view value, Arguments& arguments) {
  if (key == "vcpus") {
    const auto count = number<unsigned>(value);
    if (!count || !limit("cpus").holds(*count)) return limit("cpus").complaint();
    arguments.vcpus = *count;
    return {};
  }
  if (key == "ranges") return read_ranges(value, arguments.ranges);
  if (key == "cache") return read_cache(value, arguments.cache);
  if (key == "unit") return read_unit(value, arguments.unit_bytes);
  if (key == "addresses") {
    if (value != "guest-physical" && value != "ram-block") return "guest-physical or ram-block";
    arguments.addresses = value == "ram-block" ? AddressForm::ram_block  //
                                               : AddressForm::guest_physical;
    return {};
  }
  if (std::string* const path = path_of(key, arguments)) {
    *path = value;
    return value.empty() ? "the path is empty" : "";
  }
  return "not a known argument (out, ranges, vcpus, cache, addresses, timing, clock, timeline, "
         "samples, unit)";
}

}  // namespace

Result<Arguments> parse_arguments(std::span<const std::string_view> words) {
  Arguments arguments;
  std::vector<std::string_view> seen;
  for (const std::string_view word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return refuse(word, "not of the form KEY=VALUE");
    const std::string_view key = word.substr(0, equals);
    if (std::ranges::find(seen, key) != seen.end()) return refuse(word, "given twice");
    seen.push_back(key);
    const std::string complaint = read_value(key, word.substr(equals + 1), arguments);
    if (!complaint.empty()) return refuse(word, complaint);
  }
  for (const std::string_view key : {"out", "ranges", "vcpus", "cache"}) {
    if (std::ranges::find(seen, key) == seen.end()) return refuse(key, "missing");
  }
  if (arguments.samples.empty() && std::ranges::find(seen, "unit") != seen.end()) {
    return refuse("unit", "without samples=PATH it has no use");
  }
  return arguments;
}

}  // namespace homenode::lab
