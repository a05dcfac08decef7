#include "placement/threads/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/id_list.h"
#include "placement/threads/domains.h"
#include "placement/threads/syntax.h"

namespace homenode::placement {
namespace {

using Cpus = std::vector<CpuId>;

/// The domains of one kind with their tags, in order.
struct Domain {
  std::string tag;
  CpuSet cpus;
};

std::vector<Domain> domains_of(const machine::Machine& machine, char kind) {
  if (kind == 'N') return {{"N", machine.allowed_cpus}};
  std::vector<Domain> domains;
  if (kind == 'M') {
    for (const machine::Node& node : machine.nodes) {
      domains.push_back({fmt::format("M{}", node.id.value()), node.cpus & machine.allowed_cpus});
    }
    return domains;
  }
  const bool caches = kind == 'C';
  for (CpuSet& cpus : caches ? last_level_caches_of(machine) : packages_of(machine)) {
    domains.push_back({fmt::format("{}{}", kind, domains.size()), std::move(cpus)});
  }
  return domains;
}

bool is_kind(std::string_view text) {
  return text.size() == 1 && std::string_view("NSDCM").find(text.front()) != std::string_view::npos;
}

class Likwid {
 public:
  Likwid(const machine::Machine& machine, std::string_view text) : machine_(machine), text_(text) {}

  Result<Cpus> part(std::string_view part) const {
    const std::vector<std::string_view> words = split(part, ':');
    if (words.size() > 1 && is_kind(words[0]) &&
        (words[1] == "scatter" || words[1] == "balanced" || words[1] == "cbalanced")) {
      return spread(part, words);
    }
    if (words[0] == "E") return every(part, words);
    if (words[0] == "L" && words.size() == 2) return places(part, "N", words[1]);
    if (words[0] == "L" && words.size() == 3) return places(part, words[1], words[2]);
    if (words.size() == 2) return places(part, words[0], words[1]);
    if (words.size() != 1 || part.empty()) return wrong(part);
    return part.front() >= 'A' ? whole(part) : numbers(part);
  }

 private:
  [[nodiscard]] Unexpected wrong(std::string_view part) const {
    return unreadable(part, text_,
                      "write S0:0-3, E:N:4:1:2, M:scatter or CPU numbers, joined by @");
  }

  [[nodiscard]] Result<CpuSet> domain(std::string_view tag) const {
    std::string known;
    for (char kind : std::string_view("NSDCM")) {
      for (const Domain& candidate : domains_of(machine_, kind)) {
        if (candidate.cpus.empty()) continue;
        if (candidate.tag == tag) return candidate.cpus;
        if (!known.empty()) known += ", ";
        known += candidate.tag;
      }
    }
    return bad_usage(
        fmt::format("no domain '{}' with CPUs exists for the thread expression '{}'", tag, text_),
        "the domains are " + known);
  }

  [[nodiscard]] Result<Cpus> places(std::string_view part, std::string_view tag,
                                    std::string_view list) const {
    const auto cpus = domain(tag);
    if (!cpus) return cpus.as_unexpected();
    const Cpus order = cores_first(machine_, *cpus);
    Cpus chosen;
    for (std::string_view item : split(list, ',')) {
      const std::vector<std::string_view> ends = split(item, '-');
      const auto first = whole_number(ends.front());
      const auto last = whole_number(ends.back());
      if (ends.size() > 2 || !first || !last) return wrong(part);
      if (std::max(*first, *last) >= order.size()) {
        return bad_usage(fmt::format("cannot use '{}' in the thread expression '{}': {} has "
                                     "places 0 to {}",
                                     item, text_, tag, order.size() - 1),
                         "join domains with @ if one is too small");
      }
      for (unsigned place = *first;; place = place < *last ? place + 1 : place - 1) {
        chosen.push_back(order[place]);
        if (place == *last) break;
      }
    }
    return chosen;
  }

  [[nodiscard]] Result<Cpus> whole(std::string_view tag) const {
    const auto cpus = domain(tag);
    if (!cpus) return cpus.as_unexpected();
    return core_by_core(machine_, *cpus);
  }

  [[nodiscard]] Result<Cpus> every(std::string_view part,
                                   const std::vector<std::string_view>& words) const {
    if (words.size() < 2 || words.size() == 4 || words.size() > 6) return wrong(part);
    const auto cpus = domain(words[1]);
    if (!cpus) return cpus.as_unexpected();
    const Cpus order = core_by_core(machine_, *cpus);
    const auto word = [&words](std::size_t index, std::size_t otherwise) {
      return index < words.size() ? whole_number(words[index])
                                  : std::optional<unsigned>(static_cast<unsigned>(otherwise));
    };
    const auto count = word(2, order.size());
    const auto chunk = word(3, 1);
    const auto stride = word(4, 1);
    const auto start = word(5, 0);
    const bool all_positive =
        count.value_or(0) > 0 && chunk.value_or(0) > 0 && stride.value_or(0) > 0;
    if (!all_positive || !start || *start >= order.size()) return wrong(part);
    Cpus chosen;
    for (std::size_t offset = *start; chosen.size() < *count;) {
      const std::size_t end = std::min<std::size_t>(offset + *chunk, order.size());
      for (std::size_t i = offset; i < end && chosen.size() < *count; ++i) {
        chosen.push_back(order[i]);
      }
      offset += *stride;
      if (offset >= order.size()) offset = *start;
    }
    return chosen;
  }

  [[nodiscard]] Result<Cpus> spread(std::string_view part,
                                    const std::vector<std::string_view>& words) const {
    const bool scatter = words[1] == "scatter";
    const bool by_cores = words[1] == "cbalanced";
    std::vector<Cpus> orders;
    std::size_t all = 0;
    for (const Domain& domain : domains_of(machine_, words[0].front())) {
      if (domain.cpus.empty()) continue;
      orders.push_back(scatter || by_cores ? cores_first(machine_, domain.cpus)
                                           : core_by_core(machine_, domain.cpus));
      all += orders.back().size();
    }
    const auto count = words.size() == 3 ? whole_number(words[2])
                                         : std::optional<unsigned>(static_cast<unsigned>(all));
    if (words.size() > 3 || !count || *count == 0) return wrong(part);
    if (*count > all) {
      return bad_usage(fmt::format("cannot take {} CPUs for '{}' in the thread expression '{}'",
                                   *count, part, text_),
                       fmt::format("there are only {}", all));
    }
    if (scatter) return in_turn(orders, *count);
    return in_equal_parts(orders, *count, by_cores);
  }

  static Cpus in_turn(const std::vector<Cpus>& orders, std::size_t count) {
    Cpus chosen;
    for (std::size_t place = 0; chosen.size() < count; ++place) {
      for (const Cpus& order : orders) {
        if (place < order.size() && chosen.size() < count) chosen.push_back(order[place]);
      }
    }
    return chosen;
  }

  /// The first domains get one more where it does not divide; a domain that is too small gives what
  /// it has. `by_cores`: what was chosen of a domain stands core by core.
  [[nodiscard]] Cpus in_equal_parts(const std::vector<Cpus>& orders, std::size_t count,
                                    bool by_cores) const {
    Cpus chosen;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const std::size_t share = count / orders.size() + (i < count % orders.size() ? 1 : 0);
      Cpus part(orders[i].begin(),
                orders[i].begin() + static_cast<std::ptrdiff_t>(std::min(share, orders[i].size())));
      if (by_cores) {
        CpuSet set;
        for (CpuId cpu : part) set.insert(cpu);
        part = core_by_core(machine_, set);
      }
      chosen.insert(chosen.end(), part.begin(), part.end());
    }
    return chosen;
  }

  [[nodiscard]] Result<Cpus> numbers(std::string_view part) const {
    const auto map = parse_thread_map(machine_, part);
    if (!map) return map.as_unexpected();
    Cpus chosen;
    for (const CpuSet& cpus : map->cpus_by_rank) chosen.push_back(cpus.to_vector().front());
    return chosen;
  }

  const machine::Machine& machine_;
  std::string_view text_;
};

}  // namespace

Result<ThreadMap> parse_likwid(const machine::Machine& machine, std::string_view text) {
  const Likwid likwid(machine, text);
  ThreadMap map;
  for (std::string_view part : split(text, '@')) {
    const auto cpus = likwid.part(part);
    if (!cpus) return cpus.as_unexpected();
    for (CpuId cpu : *cpus) map.cpus_by_rank.push_back(CpuSet{cpu});
  }
  return checked(machine, std::move(map), text);
}

}  // namespace homenode::placement
