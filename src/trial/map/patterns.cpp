#include "trial/map/patterns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace homenode::trial {
namespace {

using workloads::map::line_bytes;
using MapPattern = workloads::map::Pattern;
using workloads::map::Shape;

constexpr unsigned usual_overlap_percent = 25;
constexpr std::size_t most_phases = 64;

/// In the order of the help.
constexpr std::array<std::pair<const char*, MapPattern>, 20> named_patterns{{
    {"shared", MapPattern::shared},
    {"divided", MapPattern::divided},
    {"interleaved", MapPattern::interleaved},
    {"partial", MapPattern::partial},
    {"2d-shared-rows", MapPattern::shared_by_rows},
    {"2d-shared-columns", MapPattern::shared_by_columns},
    {"2d-shared-random", MapPattern::shared_at_random},
    {"2d-rows", MapPattern::row_bands},
    {"2d-columns", MapPattern::column_bands},
    {"2d-mesh", MapPattern::mesh},
    {"3d-shared-x", MapPattern::shared_along_x},
    {"3d-shared-y", MapPattern::shared_along_y},
    {"3d-shared-z", MapPattern::shared_along_z},
    {"3d-slabs-z", MapPattern::slabs_z},
    {"3d-slabs-y", MapPattern::slabs_y},
    {"3d-slabs-x", MapPattern::slabs_x},
    {"3d-pencils-x", MapPattern::pencils_x},
    {"3d-pencils-y", MapPattern::pencils_y},
    {"3d-pencils-z", MapPattern::pencils_z},
    {"3d-blocks", MapPattern::blocks},
}};

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

unsigned dimensions_of(MapPattern pattern) {
  return workloads::map::rule_of(pattern).dimensions;
}

/// pre: the shape has the pattern's dimensions.
Result<void> check_parts(MapPattern pattern, const Shape& shape, unsigned threads) {
  if (workloads::map::rule_of(pattern).dimensions == 1) return {};  // Named by its elements.
  if (workloads::map::grid_for(pattern, shape, threads)) return {};
  return bad_usage(fmt::format("{} threads cannot each have a part of {} elements under {}",
                               threads, to_string(shape), to_string(pattern)),
                   "give fewer --threads, or a --shape with more along the axes that are cut");
}

}  // namespace

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  names.reserve(named_patterns.size());
  for (const auto& [name, pattern] : named_patterns) names.emplace_back(name);
  return names;
}

std::optional<MapPattern> pattern_named(std::string_view name) {
  for (const auto& [known, pattern] : named_patterns) {
    if (name == known) return pattern;
  }
  return std::nullopt;
}

std::string to_string(MapPattern pattern) {
  for (const auto& [name, known] : named_patterns) {
    if (pattern == known) return name;
  }
  return {};
}

Result<std::vector<MapPattern>> parse_phases(std::string_view text) {
  std::vector<MapPattern> phases;
  for (std::string_view name : words_between(text, ',')) {
    const auto pattern = pattern_named(name);
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
  for (MapPattern pattern : phases) {
    if (!text.empty()) text += ',';
    text += to_string(pattern);
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
                                    dimensions_of(phases_of(options).front()));
}

unsigned overlap_of(const MapOptions& options) {
  const bool in_a_row = dimensions_of(phases_of(options).front()) == 1;
  return options.overlap_percent.value_or(in_a_row ? usual_overlap_percent : 0);
}

Result<void> check_shape(const MapOptions& options) {
  const std::vector<MapPattern> phases = phases_of(options);
  if (phases.empty() || phases.size() > most_phases) {
    return bad_usage(fmt::format("multi-patterns cannot have {} phases", phases.size()),
                     fmt::format("list 1 to {} patterns with --phases", most_phases));
  }
  const unsigned dimensions = dimensions_of(phases.front());
  for (MapPattern pattern : phases) {
    if (dimensions_of(pattern) == dimensions) continue;
    return bad_usage(fmt::format("{} and {} do not walk one array: their dimensions differ",
                                 to_string(phases.front()), to_string(pattern)),
                     "give --phases patterns of one dimension");
  }
  if (options.shape && options.shape->dimensions != dimensions) {
    return bad_usage(fmt::format("{} walks an array of {} dimension{}, and {} has {}",
                                 to_string(phases.front()), dimensions, dimensions == 1 ? "" : "s",
                                 to_string(*options.shape), options.shape->dimensions),
                     fmt::format("give --shape {}", shape_forms[dimensions]));
  }
  const Shape shape = shape_of(options);
  for (MapPattern pattern : phases) {
    const auto checked = check_parts(pattern, shape, options.threads.value_or(1));
    if (!checked) return checked.as_unexpected();
  }
  return {};
}

}  // namespace homenode::trial
