#include "model/links.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/units.h"

namespace homenode::model {
namespace {

using Way = std::vector<NodeId>;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (const auto part = trimmed(text.substr(0, end)); !part.empty()) parts.push_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<unsigned> number(std::string_view text) {
  text = trimmed(text);
  unsigned value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "A-B" or "A>B" in front of a colon, and what is behind it.
struct Pair {
  NodeId first;
  NodeId second;
  std::string_view rest;
};

std::optional<Pair> pair_in(std::string_view text, char between) {
  const std::size_t middle = text.find(between);
  const std::size_t colon = text.find(':');
  if (middle == std::string_view::npos || colon == std::string_view::npos || colon < middle) {
    return std::nullopt;
  }
  const auto first = number(text.substr(0, middle));
  const auto second = number(text.substr(middle + 1, colon - middle - 1));
  if (!first || !second) return std::nullopt;
  return Pair{NodeId(*first), NodeId(*second), text.substr(colon + 1)};
}

std::string_view info(const machine::Machine& machine, std::string_view name) {
  for (const auto& entry : machine.info) {
    if (entry.first == name) return entry.second;
  }
  return {};
}

Unexpected not_a_list(std::string_view name, std::string_view part) {
  return failed("the machine's homenode:" + std::string(name) + " has '" + std::string(part) +
                    "', which cannot be read",
                "see docs/add-a-machine.md for its form");
}

Result<std::vector<Link>> read_links(std::string_view text) {
  std::vector<Link> links;
  for (const std::string_view part : split(text, ',')) {
    const auto ends = pair_in(part, '-');
    const auto mib = ends ? number(ends->rest) : std::nullopt;
    if (!mib || *mib == 0) return not_a_list("Links", part);
    links.push_back({std::min(ends->first, ends->second), std::max(ends->first, ends->second),
                     *mib * static_cast<double>((1_MiB).value)});
  }
  return links;
}

Result<std::vector<Way>> read_routes(std::string_view text) {
  std::vector<Way> ways;
  for (const std::string_view part : split(text, ';')) {
    const auto ends = pair_in(part, '>');
    if (!ends) return not_a_list("Routes", part);
    Way way;
    for (const std::string_view word : split(ends->rest, ',')) {
      const auto node = number(word);
      if (!node) return not_a_list("Routes", part);
      way.emplace_back(*node);
    }
    if (way.size() < 2 || way.front() != ends->first || way.back() != ends->second) {
      return not_a_list("Routes", part);
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

std::vector<NodeId> neighbours(const std::vector<Link>& links, NodeId node) {
  std::vector<NodeId> found;
  for (const Link& link : links) {
    if (link.first == node) found.push_back(link.second);
    if (link.second == node) found.push_back(link.first);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Ways of one length are kept in the order of their nodes, so the first to arrive is the lowest.
Way shortest(const std::vector<Link>& links, NodeId from, NodeId to) {
  std::vector<Way> ways{{from}};
  std::set<NodeId> seen{from};
  while (!ways.empty()) {
    std::vector<Way> longer;
    for (const Way& way : ways) {
      if (way.back() == to) return way;
      for (const NodeId next : neighbours(links, way.back())) {
        if (!seen.insert(next).second) continue;
        longer.push_back(way);
        longer.back().push_back(next);
      }
    }
    ways = std::move(longer);
  }
  return {};
}

/// The links of a way; nothing where it goes over one that is not there.
std::optional<std::vector<Step>> steps_of(const std::vector<Link>& links, const Way& way) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    const bool forward = way[i] < way[i + 1];
    const NodeId low = std::min(way[i], way[i + 1]);
    const NodeId high = std::max(way[i], way[i + 1]);
    const auto at = std::find_if(links.begin(), links.end(), [&](const Link& link) {
      return link.first == low && link.second == high;
    });
    if (at == links.end()) return std::nullopt;
    steps.push_back({static_cast<std::size_t>(at - links.begin()), forward});
  }
  return steps;
}

}  // namespace

Result<Links> links_of(const machine::Machine& machine) {
  auto links = read_links(info(machine, "Links"));
  if (!links) return links.as_unexpected();
  const auto declared = read_routes(info(machine, "Routes"));
  if (!declared) return declared.as_unexpected();
  const auto cpu_nodes = machine.nodes_with_cpus().to_vector();
  Links found{{}, {cpu_nodes, machine.nodes_with_memory().to_vector()}};
  for (const NodeId from : cpu_nodes) {
    for (const NodeId to : found.ways.columns()) {
      const auto at = std::find_if(declared->begin(), declared->end(), [&](const Way& way) {
        return way.front() == from && way.back() == to;
      });
      const auto steps = steps_of(*links, at == declared->end() ? shortest(*links, from, to) : *at);
      if (!steps) return not_a_list("Routes", "a way over a link that Links does not have");
      found.ways.at(from, to) = *steps;
    }
  }
  found.links = std::move(*links);
  return found;
}

}  // namespace homenode::model
