#include "lab/timing/timing_model.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <span>

#include "lab/timing/limits.h"

namespace homenode::lab {
namespace {

constexpr std::uint64_t max_number = std::uint64_t{1} << 42;

using Numbers = std::vector<std::uint64_t>;

Unexpected refuse(std::size_t line, std::string why) {
  return bad_usage("timing file, line " + std::to_string(line) + ": " + std::move(why),
                   "start the lab through its driver, which writes this file");
}

/// One keyword with its numbers, still to be checked.
struct Line {
  std::string_view keyword;
  Numbers numbers;
};

std::optional<Line> split(std::string_view text) {
  Line line;
  text = text.substr(0, text.find('#'));
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r"));
    text.remove_prefix(word.size());
    if (line.keyword.empty()) {
      line.keyword = word;
      continue;
    }
    std::uint64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, status] = std::from_chars(word.data(), end, value);
    if (status != std::errc{} || stop != end || value > max_number) return std::nullopt;
    line.numbers.push_back(value);
  }
  return line;
}

/// Fills the model line by line. `complaint` stays empty while all is well.
class Reader {
 public:
  std::string read(const Line& line) {
    const Numbers& n = line.numbers;
    const std::string_view key = line.keyword;
    if (key == "nodes") return read_nodes(n);
    if (key == "vcpu_nodes") return read_vcpus(n);
    if (key == "l1" || key == "l2" || key == "l3") return read_cache(key, n);
    if (key == "l3_group") return read_group(n);
    if (key == "latency" || key == "controller" || key == "pair" || key == "link" ||
        key == "route") {
      return read_between(key, n);
    }
    return read_scalar(key, n);
  }

  std::string finish() {
    if (model.nodes.empty() || model.vcpu_nodes.empty()) return "no line nodes or vcpu_nodes";
    if (model.frequency_mhz == 0 || model.cpi_milli == 0) return "no frequency_mhz or cpi_milli";
    if (model.misses == 0 || model.prefetches == 0) return "no misses or prefetches";
    if (model.window == 0) return "no window";
    if (model.cache_to_cache_ps == 0) return "no cache_to_cache";
    if (model.pause_ps == 0) return "no pause";
    if (model.wake_up_ps == 0) return "no wake_up";
    if (model.l1.bytes == 0) return "no line l1";
    if (model.epoch_ps == 0) return "no line epoch_ns";
    if (model.l3 && model.l3_groups.empty()) return "l3 without an l3_group";
    return check_pairs();
  }

  TimingModel model;

 private:
  std::string read_scalar(std::string_view key, const Numbers& n) {
    if (n.size() != 1 || n[0] == 0)
      return "one number above 0 is expected after " + std::string(key);
    if (key == "frequency_mhz") return model.frequency_mhz = n[0], "";
    if (key == "cpi_milli") return model.cpi_milli = n[0], "";
    if (key == "window") return model.window = n[0], "";
    if (key == "misses") return bounded(n[0], model.misses);
    if (key == "prefetches") return bounded(n[0], model.prefetches);
    if (key == "cache_to_cache") return model.cache_to_cache_ps = n[0], "";
    if (key == "pause") return model.pause_ps = n[0], "";
    if (key == "wake_up") return model.wake_up_ps = n[0], "";
    if (key == "epoch_ns") return model.epoch_ps = n[0] * 1000, "";
    if (key == "line") {
      if (!limit("line_bytes").holds(n[0])) return limit("line_bytes").complaint();
      if (!std::has_single_bit(n[0])) return "a line is a power of two bytes";
      model.line_bytes = static_cast<unsigned>(n[0]);
      return "";
    }
    return "unknown keyword " + std::string(key);
  }

  static std::string bounded(std::uint64_t value, unsigned& into) {
    if (!limit("lines_in_flight").holds(value)) return limit("lines_in_flight").complaint();
    into = static_cast<unsigned>(value);
    return "";
  }

  std::string read_nodes(const Numbers& n) {
    if (n.empty() || !model.nodes.empty()) return "nodes takes the ids of all nodes, once";
    if (!std::ranges::is_sorted(n, std::less_equal<>{}) || n.back() > 1023) {
      return "node ids increase and end at 1023";
    }
    for (const std::uint64_t id : n) model.nodes.emplace_back(static_cast<unsigned>(id));
    model.controllers.resize(n.size());
    model.pairs.resize(n.size() * n.size());
    return "";
  }

  std::string read_vcpus(const Numbers& n) {
    if (!model.vcpu_nodes.empty()) return "vcpu_nodes takes the node of every vCPU, once";
    if (!limit("cpus").holds(n.size())) return limit("cpus").complaint();
    for (const std::uint64_t id : n) {
      const auto at = node(id);
      if (!at) return "node " + std::to_string(id) + " is not one of nodes";
      model.vcpu_nodes.push_back(*at);
    }
    return "";
  }

  std::string read_cache(std::string_view key, const Numbers& n) {
    if (n.size() < 2) return "a cache is its bytes, ways and latency in ps";
    if (!limit("cache_bytes").holds(n[0])) return limit("cache_bytes").complaint();
    if (!limit("cache_ways").holds(n[1])) return limit("cache_ways").complaint();
    if (n[0] < n[1] * model.line_bytes) return "a cache has at least one set";
    const CacheTiming cache{n[0], static_cast<unsigned>(n[1]), n.size() > 2 ? n[2] : 0};
    if (key == "l1") model.l1 = cache;
    if (key == "l2") model.l2 = cache;
    if (key == "l3") model.l3 = cache;
    return "";
  }

  std::string read_group(const Numbers& n) {
    std::vector<unsigned> group;
    for (const std::uint64_t vcpu : n) {
      if (vcpu >= model.vcpu_nodes.size()) return "no vCPU " + std::to_string(vcpu);
      for (const auto& other : model.l3_groups) {
        if (std::ranges::find(other, vcpu) == other.end()) continue;
        return "vCPU " + std::to_string(vcpu) + " is in two groups";
      }
      group.push_back(static_cast<unsigned>(vcpu));
    }
    model.l3_groups.push_back(std::move(group));
    return "";
  }

  /// The positions of the first `count` of the numbers, which are ids of nodes; empty with a
  /// complaint where one is not.
  std::vector<unsigned> positions(const Numbers& n, std::size_t count, std::string& complaint) {
    std::vector<unsigned> at;
    for (std::size_t i = 0; i < count; ++i) {
      const auto position = node(n[i]);
      if (!position) {
        complaint = "node " + std::to_string(n[i]) + " is not one of nodes";
        return {};
      }
      at.push_back(*position);
    }
    return at;
  }

  std::string read_between(std::string_view key, const Numbers& n) {
    const std::size_t nodes_named = key == "controller" ? 1 : key == "route" ? n.size() : 2;
    const std::size_t others = key == "latency" || key == "link" ? 1 : key == "route" ? 0 : 2;
    if (n.size() != nodes_named + others || n.size() < 3) {
      return "wrong number of numbers after " + std::string(key);
    }
    std::string complaint;
    const auto at = positions(n, nodes_named, complaint);
    if (!complaint.empty()) return complaint;
    if (key == "route") return read_route(at);
    if (n[nodes_named] == 0 || n.back() == 0) return "a number above 0 is expected";
    if (key == "controller") return model.controllers[at[0]] = {n[1], n[2]}, "";
    if (key == "link") return model.links.push_back({at[0], at[1], n[2]}), "";
    PairTiming& pair = model.pairs[at[0] * model.nodes.size() + at[1]];
    if (key == "latency") return pair.known = true, pair.latency_ps = n[2], "";
    return pair.bandwidths = {n[2], n[3]}, "";
  }

  /// FROM and TO, and then every node from the one to the other.
  std::string read_route(const std::vector<unsigned>& at) {
    if (at.size() < 4 || at[2] != at[0] || at.back() != at[1]) {
      return "a route is FROM TO and then every node from FROM to TO";
    }
    model.pairs[at[0] * model.nodes.size() + at[1]].route.assign(at.begin() + 2, at.end());
    return "";
  }

  std::string check_pairs() {
    for (const unsigned from : model.vcpu_nodes) {
      for (unsigned to = 0; to < model.nodes.size(); ++to) {
        if (model.controllers[to].read_mibs == 0 || model.pair(from, to).known) continue;
        return "no latency from node " + std::to_string(model.nodes[from].value()) + " to " +
               std::to_string(model.nodes[to].value());
      }
    }
    for (const PairTiming& pair : model.pairs) {
      for (std::size_t i = 1; i < pair.route.size(); ++i) {
        const unsigned near = pair.route[i - 1];
        const unsigned far = pair.route[i];
        // What is read comes back along the same links.
        if (!has_link(near, far) || !has_link(far, near)) {
          return "a route uses a link that is missing";
        }
      }
    }
    return "";
  }

  [[nodiscard]] bool has_link(unsigned from, unsigned to) const {
    return std::ranges::any_of(
        model.links, [&](const SharedLink& link) { return link.from == from && link.to == to; });
  }

  [[nodiscard]] std::optional<unsigned> node(std::uint64_t id) const {
    return id > 1023 ? std::nullopt : model.position(NodeId(static_cast<unsigned>(id)));
  }
};

}  // namespace

std::optional<unsigned> TimingModel::position(NodeId id) const {
  const auto found = std::ranges::lower_bound(nodes, id);
  if (found == nodes.end() || *found != id) return std::nullopt;
  return static_cast<unsigned>(found - nodes.begin());
}

Result<TimingModel> parse_timing(std::string_view text) {
  constexpr std::string_view schema = "homenode.timing 1";
  const std::string_view first =
      text.substr(0, text.find_first_of(" \t\r\n#", schema.find(' ') + 1));
  if (first != schema) return refuse(1, "not \"" + std::string(schema) + '"');
  Reader reader;
  // Whatever names nodes or vCPUs waits until those are known, so the order of lines is free.
  for (const std::string_view pass : {"line", "nodes", "vcpu_nodes", ""}) {
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const auto line = split(text.substr(at, end - at));
      at = end + 1;
      if (number == 0) continue;
      if (!line) return refuse(number + 1, "not a keyword and whole numbers below 2^42");
      const bool early =
          line->keyword == "line" || line->keyword == "nodes" || line->keyword == "vcpu_nodes";
      if (line->keyword.empty() || (pass.empty() ? early : line->keyword != pass)) continue;
      const std::string complaint = reader.read(*line);
      if (!complaint.empty()) return refuse(number + 1, complaint);
    }
  }
  const std::string complaint = reader.finish();
  if (!complaint.empty()) return refuse(1, complaint);
  return std::move(reader.model);
}

}  // namespace homenode::lab
