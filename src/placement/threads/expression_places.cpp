#include "placement/threads/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/id_list.h"
#include "placement/threads/domains.h"
#include "placement/threads/syntax.h"

namespace homenode::placement {
namespace {

constexpr std::array words{"threads", "cores", "ll_caches", "numa_domains", "sockets"};

std::vector<CpuSet> places_of(const machine::Machine& machine, std::string_view word) {
  std::vector<CpuSet> places;
  if (word == "cores") return cores_of(machine);
  if (word == "ll_caches") return last_level_caches_of(machine);
  if (word == "threads") {
    for (CpuId cpu : core_by_core(machine, machine.allowed_cpus)) places.push_back(CpuSet{cpu});
    return places;
  }
  if (word == "sockets") {
    places = packages_of(machine);
  } else {
    for (const machine::Node& node : machine.nodes) {
      places.push_back(node.cpus & machine.allowed_cpus);
    }
  }
  std::erase_if(places, [](const CpuSet& place) { return place.empty(); });
  return places;
}

Result<ThreadMap> parse_abstract(const machine::Machine& machine, std::string_view word,
                                 std::string_view count_text, std::string_view text) {
  std::vector<CpuSet> places = places_of(machine, word);
  if (!count_text.empty()) {
    const bool closed = count_text.front() == '(' && count_text.back() == ')';
    const auto count = closed ? whole_number(count_text.substr(1, count_text.size() - 2))
                              : std::optional<unsigned>{};
    if (!count || *count == 0) {
      return unreadable(count_text, text, fmt::format("write a count, as in {}(4)", word));
    }
    if (*count > places.size()) {
      return bad_usage(
          fmt::format("the thread expression '{}' asks for more {} than there are", text, word),
          fmt::format("there are only {}", places.size()));
    }
    places.resize(*count);
  }
  if (places.empty()) {
    return bad_usage(fmt::format("this machine reports no {}", word),
                     "write the places by CPU numbers, as in {0:4}:8:4");
  }
  return ThreadMap{std::move(places)};
}

/// Reads explicit places from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  Result<ThreadMap> read() {
    ThreadMap map;
    do {
      const bool excluded = take('!');
      CpuSet place;
      if (!take_place(place)) return wrong();
      if (excluded) {
        if (!exclude(place, map))
          return wrong(
              "exclude only places listed before, as in "
              "{0}:4,!{2}");
        continue;
      }
      const auto repeat = take_interval();
      if (!repeat || !repeat_place(place, *repeat, map)) return wrong();
    } while (take(','));
    if (!rest_.empty()) return wrong();
    return map;
  }

 private:
  /// What stands behind a number or a place: how many, and how far apart.
  struct Interval {
    unsigned length = 1;
    long stride = 1;
  };

  [[nodiscard]] Unexpected wrong(
      const char* next = "write places such as {0:4}:8:4 or {0,1},{2,3}") const {
    return unreadable(rest_.empty() ? text_ : rest_, text_, next);
  }

  /// Takes the first place that is the same out, as libgomp does; false when there is none.
  static bool exclude(const CpuSet& place, ThreadMap& map) {
    auto& places = map.cpus_by_rank;
    const auto found = std::find(places.begin(), places.end(), place);
    if (found == places.end()) return false;
    places.erase(found);
    return true;
  }

  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// [":" LENGTH [":" STRIDE]]; nothing when it cannot be read.
  std::optional<Interval> take_interval() {
    Interval interval;
    if (!take(':')) return interval;
    const auto length = take_number(rest_);
    if (!length || *length == 0) return std::nullopt;
    interval.length = *length;
    if (!take(':')) return interval;
    const bool down = take('-');
    const auto stride = take_number(rest_);
    if (!stride) return std::nullopt;
    interval.stride = down ? -static_cast<long>(*stride) : static_cast<long>(*stride);
    return interval;
  }

  bool take_place(CpuSet& place) {
    if (!take('{')) {
      const auto alone = take_number(rest_);
      return alone && insert(place, static_cast<long>(*alone));
    }
    CpuSet excluded;
    do {
      if (take('!')) {
        const auto number = take_number(rest_);
        if (!number || !insert(excluded, static_cast<long>(*number))) return false;
        continue;
      }
      const auto first = take_number(rest_);
      const auto interval = first ? take_interval() : std::nullopt;
      if (!interval) return false;
      for (unsigned i = 0; i < interval->length; ++i) {
        if (!insert(place, static_cast<long>(*first) + i * interval->stride)) return false;
      }
    } while (take(','));
    const bool known = excluded.is_subset_of(place);
    place = place - excluded;
    return known && take('}');
  }

  static bool insert(CpuSet& place, long number) {
    if (number < 0 || number > static_cast<long>(max_list_id)) return false;
    place.insert(CpuId(static_cast<unsigned>(number)));
    return true;
  }

  static bool repeat_place(const CpuSet& place, const Interval& repeat, ThreadMap& map) {
    if (repeat.length * place.size() > max_map_entries) return false;
    for (unsigned i = 0; i < repeat.length; ++i) {
      CpuSet shifted;
      for (CpuId cpu : place.to_vector()) {
        if (!insert(shifted, static_cast<long>(cpu.value()) + i * repeat.stride)) return false;
      }
      if (map.cpus_by_rank.size() == max_map_entries) return false;
      map.cpus_by_rank.push_back(std::move(shifted));
    }
    return true;
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

bool looks_like_places(std::string_view text) {
  if (text.starts_with('{')) return true;
  for (std::string_view word : words) {
    if (text == word || (text.starts_with(word) && text[word.size()] == '(')) return true;
  }
  return false;
}

Result<ThreadMap> parse_places(const machine::Machine& machine, std::string_view text) {
  for (std::string_view word : words) {
    if (text == word || (text.starts_with(word) && text[word.size()] == '(')) {
      return parse_abstract(machine, word, text.substr(word.size()), text);
    }
  }
  auto map = Reader(text).read();
  if (!map) return map;
  return checked(machine, *std::move(map), text);
}

std::string to_places(const ThreadMap& map) {
  std::string text;
  for (const CpuSet& cpus : map.cpus_by_rank) {
    std::string place;
    for (CpuId cpu : cpus.to_vector()) {
      place += fmt::format("{}{}", place.empty() ? "" : ",", cpu.value());
    }
    text += fmt::format("{}{{{}}}", text.empty() ? "" : ",", place);
  }
  return text;
}

}  // namespace homenode::placement
