#include "machine/xml_check.h"

#include <algorithm>
#include <cctype>
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
  enum class Kind { start, end, empty, none, malformed };
  Kind kind = Kind::none;  ///< `none` after the last tag.
  std::string_view name;
  std::map<std::string_view, std::string_view> attributes;
};

/// Takes the characters of a name: nothing where there are none.
std::string_view take_name(std::string_view& text) {
  const auto is_part = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ':';
  };
  const auto end = std::find_if_not(text.begin(), text.end(), is_part);
  const std::string_view name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(name.size());
  return name;
}

bool take(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  return true;
}

/// Blanks, of which there must be some where more follows.
bool take_blanks(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(count);
  return count > 0;
}

/// name="value" pairs up to the end of a start tag; false where they are malformed.
bool take_attributes(std::string_view& xml, Tag& tag) {
  for (;;) {
    const bool blank = take_blanks(xml);
    if (take(xml, ">")) return true;
    if (take(xml, "/>")) {
      tag.kind = Tag::Kind::empty;
      return true;
    }
    const std::string_view name = take_name(xml);
    if (!blank || name.empty() || !take(xml, "=\"")) return false;
    const std::size_t end = xml.find('"');
    if (end == std::string_view::npos) return false;
    if (!tag.attributes.emplace(name, xml.substr(0, end)).second) return false;
    xml.remove_prefix(end + 1);
  }
}

/// The next tag, passing over text, comments, declarations and instructions. Narrower than XML
/// (only double quotes, as hwloc writes them), because hwloc has a lenient reader of its own to
/// fall back on.
Tag take_tag(std::string_view& xml) {
  Tag tag;
  for (;;) {
    const std::size_t start = xml.find('<');
    if (start == std::string_view::npos) return tag;
    xml.remove_prefix(start + 1);
    if (!xml.starts_with('!') && !xml.starts_with('?')) break;
    const std::string_view end = xml.starts_with("!--") ? "-->" : ">";
    xml.remove_prefix(std::min(xml.find(end), xml.size()));
  }
  tag.kind = take(xml, "/") ? Tag::Kind::end : Tag::Kind::start;
  tag.name = take_name(xml);
  const bool good =
      tag.kind == Tag::Kind::end ? (take_blanks(xml), take(xml, ">")) : take_attributes(xml, tag);
  if (tag.name.empty() || !good) tag.kind = Tag::Kind::malformed;
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
    const bool is_mask =
        attribute.first.ends_with("cpuset") || attribute.first.ends_with("nodeset");
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
    if (tag.kind == Tag::Kind::end) return close();
    const std::string_view type = attribute(tag, "type");
    std::string_view rest = type;
    if (take_name(rest).empty() || !rest.empty()) return "an object has no type";
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
    if (tag.kind == Tag::Kind::start) open_.push_back(std::move(sets));
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
    const bool fresh =
        type == "PU" ? !seen_cpus_.contains(CpuId(*index)) : !seen_nodes_.contains(NodeId(*index));
    if (!fresh) return fmt::format("{} {} occurs twice", type, *index);
    if (type == "PU")
      seen_cpus_.insert(CpuId(*index));
    else
      seen_nodes_.insert(NodeId(*index));
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
  for (Tag tag = take_tag(xml); tag.kind != Tag::Kind::none; tag = take_tag(xml)) {
    if (tag.kind == Tag::Kind::malformed) return "it is not well-formed XML";
    if (tag.name == "topology" && tag.kind == Tag::Kind::start) {
      met_topology = true;
      if (attribute(tag, "version").empty()) return "it is in hwloc 1's format";
    }
    if (!masks_are_readable(tag))
      return fmt::format("the set of an element '{}' is broken", tag.name);
    if (tag.name != "object") continue;
    if (!met_topology) return "it is not a complete hwloc topology";
    if (std::string problem = objects.check(tag); !problem.empty()) return problem;
  }
  return objects.finish();
}

}  // namespace homenode::machine
