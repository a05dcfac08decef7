#include "machine/xml_check.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/id_list.h"
#include "base/id_set.h"

namespace homenode::machine {
namespace {

struct Tag {
  std::string_view name;  ///< With a leading '/' for an end tag.
  std::map<std::string_view, std::string_view> attributes;
  bool empty = false;  ///< <name …/>
};

constexpr std::string_view blanks = " \t\r\n";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

/// The next tag, passing over text, comments, declarations and instructions; nothing at the end or
/// where a tag is malformed.
std::optional<Tag> take_tag(std::string_view& xml) {
  for (;;) {
    const std::size_t start = xml.find('<');
    if (start == std::string_view::npos) return std::nullopt;
    xml.remove_prefix(start + 1);
    if (!xml.starts_with('!') && !xml.starts_with('?')) break;
    const std::string_view end = xml.starts_with("!--") ? "-->" : ">";
    xml.remove_prefix(std::min(xml.find(end), xml.size()));
  }
  Tag tag;
  const std::size_t name_length = std::min(xml.find_first_of(" \t\r\n>"), xml.size());
  tag.name = xml.substr(0, name_length);
  xml.remove_prefix(name_length);
  if (tag.name.size() > 1 && tag.name.ends_with('/')) {
    tag.name.remove_suffix(1);
    tag.empty = true;
  }
  for (skip_blanks(xml); !xml.starts_with('>'); skip_blanks(xml)) {
    if (xml.starts_with("/>")) {
      tag.empty = true;
      xml.remove_prefix(1);
      break;
    }
    const std::size_t equals = xml.find('=');
    if (equals == std::string_view::npos || equals + 1 >= xml.size()) return std::nullopt;
    const char quote = xml[equals + 1];
    const std::size_t end = xml.find(quote, equals + 2);
    if ((quote != '"' && quote != '\'') || end == std::string_view::npos) return std::nullopt;
    tag.attributes[xml.substr(0, equals)] = xml.substr(equals + 2, end - equals - 2);
    xml.remove_prefix(end + 1);
  }
  return tag;
}

std::string_view attribute(const Tag& tag, std::string_view name) {
  const auto found = tag.attributes.find(name);
  return found == tag.attributes.end() ? std::string_view() : found->second;
}

struct Sets {
  CpuSet cpus;
  CpuSet complete_cpus;
  NodeSet nodes;
  NodeSet complete_nodes;
};

/// hwloc's mask: words of 32 bits in hexadecimal, the highest first, an empty one is 0. hwloc's own
/// reader aborts on a wrong one. Infinite masks (0xf...f) are of no use in a machine.
template <class IdType>
std::optional<IdSet<IdType>> parse_mask(std::string_view text) {
  constexpr unsigned bits = 32;
  std::vector<std::uint32_t> words;
  for (bool more = !text.empty(); more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    std::string_view word = text.substr(0, comma);
    if (more) text.remove_prefix(comma + 1);
    const bool first = words.empty();
    words.push_back(0);
    if (word.empty() && !first) continue;
    if (!word.starts_with("0x")) return std::nullopt;
    word.remove_prefix(2);
    const auto [end, status] =
        std::from_chars(word.data(), word.data() + word.size(), words.back(), 16);
    if (status != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  }
  if (words.empty() || words.size() > max_list_id / bits + 1) return std::nullopt;
  IdSet<IdType> set;
  for (unsigned id = 0; id < words.size() * bits; ++id) {
    if ((words[words.size() - 1 - id / bits] >> id % bits & 1U) != 0) set.insert(IdType(id));
  }
  return set;
}

/// Every mask of any tag can be read; hwloc keeps more of them than those of objects.
bool masks_are_readable(const Tag& tag) {
  return std::all_of(tag.attributes.begin(), tag.attributes.end(), [](const auto& attribute) {
    const bool is_mask = attribute.first.ends_with("cpuset") || attribute.first.ends_with("nodeset");
    return !is_mask || parse_mask<CpuId>(attribute.second);
  });
}

std::optional<Sets> parse_sets(const Tag& tag) {
  const auto cpus = parse_mask<CpuId>(attribute(tag, "cpuset"));
  const auto complete_cpus = parse_mask<CpuId>(attribute(tag, "complete_cpuset"));
  const auto nodes = parse_mask<NodeId>(attribute(tag, "nodeset"));
  const auto complete_nodes = parse_mask<NodeId>(attribute(tag, "complete_nodeset"));
  if (!cpus || !complete_cpus || !nodes || !complete_nodes) return std::nullopt;
  return Sets{*cpus, *complete_cpus, *nodes, *complete_nodes};
}

bool is_nested(const Sets& inner, const Sets& outer) {
  return inner.cpus.is_subset_of(outer.cpus) && inner.nodes.is_subset_of(outer.nodes) &&
         inner.complete_cpus.is_subset_of(outer.complete_cpus) &&
         inner.complete_nodes.is_subset_of(outer.complete_nodes) &&
         inner.cpus.is_subset_of(inner.complete_cpus) &&
         inner.nodes.is_subset_of(inner.complete_nodes);
}

std::optional<unsigned> parse_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool has_no_sets(std::string_view type) {
  return type == "Bridge" || type == "PCIDev" || type == "OSDev" || type == "Misc";
}

/// Follows the nesting of <object> and collects the CPUs and nodes met.
class ObjectChecker {
 public:
  /// The problem of this tag, or nothing.
  std::string check(const Tag& tag) {
    if (tag.name == "/object") return close();
    const std::string_view type = attribute(tag, "type");
    if (type.empty()) return "an object has no type";
    if (open_.empty() && (type != "Machine" || met_root_)) return "its root is not one Machine";
    met_root_ = true;
    Sets sets;
    if (has_no_sets(type)) {
      if (open_.empty()) return "its root is not one Machine";
      sets = open_.back();
    } else {
      const auto parsed = parse_sets(tag);
      if (!parsed) return fmt::format("a {} lacks its CPU and node sets", type);
      if (!open_.empty() && !is_nested(*parsed, open_.back())) {
        return fmt::format("the sets of a {} do not lie within those of its parent", type);
      }
      sets = *parsed;
    }
    if (std::string problem = check_leaf(tag, type, sets); !problem.empty()) return problem;
    if (!tag.empty) open_.push_back(std::move(sets));
    return "";
  }

  /// The problem of the whole, or nothing.
  [[nodiscard]] std::string finish() const {
    if (!met_root_ || !open_.empty()) return "it is not a complete hwloc topology";
    return "";
  }

 private:
  std::string close() {
    if (open_.empty()) return "its objects are not nested";
    open_.pop_back();
    return "";
  }

  std::string check_leaf(const Tag& tag, std::string_view type, const Sets& sets) {
    if (type != "PU" && type != "NUMANode") return "";
    const auto index = parse_number(attribute(tag, "os_index"));
    if (!index) return fmt::format("a {} has no os_index", type);
    const bool fits = type == "PU" ? sets.complete_cpus == CpuSet{CpuId(*index)}
                                   : sets.complete_nodes == NodeSet{NodeId(*index)};
    if (!fits) return fmt::format("the sets of {} {} are not its own", type, *index);
    const bool fresh = type == "PU" ? !seen_cpus_.contains(CpuId(*index))
                                    : !seen_nodes_.contains(NodeId(*index));
    if (!fresh) return fmt::format("{} {} occurs twice", type, *index);
    if (type == "PU") seen_cpus_.insert(CpuId(*index));
    else seen_nodes_.insert(NodeId(*index));
    return "";
  }

  std::vector<Sets> open_;
  bool met_root_ = false;
  CpuSet seen_cpus_;
  NodeSet seen_nodes_;
};

}  // namespace

std::string find_xml_problem(std::string_view xml) {
  ObjectChecker objects;
  bool met_topology = false;
  while (const auto tag = take_tag(xml)) {
    if (tag->name == "topology") {
      met_topology = true;
      if (attribute(*tag, "version").empty()) return "it is in hwloc 1's format";
    }
    if (!masks_are_readable(*tag)) return fmt::format("a {} has a broken set", tag->name);
    if (tag->name != "object" && tag->name != "/object") continue;
    if (!met_topology) return "it is not a complete hwloc topology";
    if (std::string problem = objects.check(*tag); !problem.empty()) return problem;
  }
  return objects.finish();
}

}  // namespace homenode::machine
