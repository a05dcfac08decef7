#include "trial/map/patterns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <limits>

#include "workloads/map/patterns/pattern.h"

namespace homenode::trial {
namespace {

using workloads::map::line_bytes;
using MapPattern = workloads::map::Pattern;
using workloads::map::Shape;

constexpr unsigned usual_overlap_percent = 25;
constexpr std::size_t most_phases = 64;

constexpr std::array<const char*, 4> shape_forms{"", "a number of elements, such as 262144",
                                                 "ROWSxCOLUMNS, such as 512x512",
                                                 "ZxYxX, such as 64x64x64"};

std::vector<std::string_view> words_between(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

/// pre: the shape has the pattern's dimensions.
Result<void> check_parts(const MapPattern& pattern, const Shape& shape, unsigned threads) {
  if (pattern.dimensions == 1) return {};  // Named by its elements.
  if (workloads::map::grid_for(pattern, shape, threads)) return {};
  return bad_usage(fmt::format("{} threads cannot each have a part of {} elements under {}",
                               threads, to_string(shape), pattern.name),
                   "give fewer --threads, or a --shape with more along the axes that are cut");
}

}  // namespace

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const MapPattern& pattern : workloads::map::all_patterns()) names.emplace_back(pattern.name);
  return names;
}

Result<std::vector<MapPattern>> parse_phases(std::string_view text) {
  std::vector<MapPattern> phases;
  for (std::string_view name : words_between(text, ',')) {
    const auto pattern = workloads::map::find_pattern(name);
    if (!pattern) {
      return bad_usage(fmt::format("'{}' is no pattern", name),
                       fmt::format("list some of: {}", fmt::join(pattern_names(), ", ")));
    }
    phases.push_back(*pattern);
  }
  return phases;
}

std::string to_string(const std::vector<MapPattern>& phases) {
  std::string text;
  for (const MapPattern& pattern : phases) {
    if (!text.empty()) text += ',';
    text += pattern.name;
  }
  return text;
}

Result<Shape> parse_shape(std::string_view text) {
  const std::vector<std::string_view> words = words_between(text, 'x');
  workloads::map::PerAxis numbers{1, 1, 1};
  std::uint64_t room = std::numeric_limits<std::uint64_t>::max() / line_bytes;
  for (std::size_t i = 0; i < words.size() && words.size() <= numbers.size(); ++i) {
    std::size_t& number = numbers[numbers.size() - words.size() + i];
    const char* const end = words[i].data() + words[i].size();
    const auto [rest, status] = std::from_chars(words[i].data(), end, number);
    if (status == std::errc::result_out_of_range || (status == std::errc{} && number > room)) {
      return bad_usage(fmt::format("the shape {} has more elements than can be counted", text),
                       "give a smaller --shape");
    }
    if (status != std::errc{} || rest != end || number == 0) {
      return bad_usage(fmt::format("cannot read the shape '{}'", text),
                       "write the elements along each axis, such as 512x512 or 64x64x64");
    }
    room /= number;
  }
  switch (words.size()) {
    case 1:
      return Shape(numbers[2]);
    case 2:
      return Shape(numbers[1], numbers[2]);
    case 3:
      return Shape(numbers[0], numbers[1], numbers[2]);
    default:
      return bad_usage(fmt::format("the shape {} has {} dimensions", text, words.size()),
                       "give one, two or three");
  }
}

std::string to_string(const Shape& shape) {
  std::string text = std::to_string(shape.extents[2]);
  for (unsigned more = 1; more < shape.dimensions; ++more) {
    text = fmt::format("{}x{}", shape.extents[2 - more], text);
  }
  return text;
}

std::vector<MapPattern> phases_of(const MapOptions& options) {
  if (options.multi_patterns) return options.phases;
  return {options.pattern};
}

Shape shape_of(const MapOptions& options) {
  if (options.shape) return *options.shape;
  return workloads::map::even_shape(options.size.value / line_bytes,
                                    phases_of(options).front().dimensions);
}

unsigned overlap_of(const MapOptions& options) {
  const bool in_a_row = phases_of(options).front().dimensions == 1;
  return options.overlap_percent.value_or(in_a_row ? usual_overlap_percent : 0);
}

Result<void> check_shape(const MapOptions& options) {
  const std::vector<MapPattern> phases = phases_of(options);
  if (phases.empty() || phases.size() > most_phases) {
    return bad_usage(fmt::format("multi-patterns cannot have {} phases", phases.size()),
                     fmt::format("list 1 to {} patterns with --phases", most_phases));
  }
  const unsigned dimensions = phases.front().dimensions;
  for (const MapPattern& pattern : phases) {
    if (pattern.dimensions == dimensions) continue;
    return bad_usage(fmt::format("{} and {} do not walk one array: their dimensions differ",
                                 phases.front().name, pattern.name),
                     "give --phases patterns of one dimension");
  }
  if (options.shape && options.shape->dimensions != dimensions) {
    return bad_usage(fmt::format("{} walks an array of {} dimension{}, and {} has {}",
                                 phases.front().name, dimensions, dimensions == 1 ? "" : "s",
                                 to_string(*options.shape), options.shape->dimensions),
                     fmt::format("give --shape {}", shape_forms[dimensions]));
  }
  const Shape shape = shape_of(options);
  for (const MapPattern& pattern : phases) {
    const auto checked = check_parts(pattern, shape, options.threads.value_or(1));
    if (!checked) return checked.as_unexpected();
  }
  return {};
}

}  // namespace homenode::trial
