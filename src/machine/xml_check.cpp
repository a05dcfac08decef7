#include "machine/xml.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/id_list.h"
#include "base/id_set.h"
#include "base/sizes.h"

namespace homenode::machine {

namespace {

constexpr std::string_view infinite_mask = "0xf...f";

struct Sets {
  CpuSet cpus;
  CpuSet complete_cpus;
  NodeSet nodes;
  NodeSet complete_nodes;
};

/// Every mask of any tag can be read; hwloc keeps more of them than those of objects.
bool masks_are_readable(const Tag& tag, bool version_1) {
  return std::all_of(tag.attributes.begin(), tag.attributes.end(), [&](const auto& attribute) {
    const bool of_nodes = attribute.first.ends_with("nodeset");
    if (version_1 && of_nodes && attribute.second == infinite_mask) return true;
    const bool is_mask = of_nodes || attribute.first.ends_with("cpuset");
    return !is_mask || parse_mask<CpuId>(attribute.second);
  });
}

/// Before version 2, machines without NUMA had no sets of nodes, or infinite ones.
bool has_no_nodes(const Tag& tag) {
  const std::string_view nodes = attribute(tag, "nodeset");
  const std::string_view complete = attribute(tag, "complete_nodeset");
  return nodes == complete && (nodes.empty() || nodes == infinite_mask);
}

std::optional<Sets> parse_sets(const Tag& tag, bool version_1) {
  const auto cpus = parse_mask<CpuId>(attribute(tag, "cpuset"));
  const auto complete_cpus = parse_mask<CpuId>(attribute(tag, "complete_cpuset"));
  if (version_1 && cpus && complete_cpus && has_no_nodes(tag)) {
    return Sets{*cpus, *complete_cpus, {}, {}};
  }
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

bool has_no_sets(std::string_view type) {
  return type == "Bridge" || type == "PCIDev" || type == "OSDev" || type == "Misc";
}

/// Follows the nesting of <object> and collects the CPUs and nodes met.
class ObjectChecker {
 public:
  /// In hwloc 1's format NUMA nodes hold what is near them, and caches have one type.
  explicit ObjectChecker(bool version_1) : version_1_(version_1) {}

  /// The problem of this tag, or nothing.
  std::string check(const Tag& tag) {
    if (tag.kind == Tag::Kind::end) return close();
    const std::string_view type = attribute(tag, "type");
    std::string_view rest = type;
    if (take_name(rest).empty() || !rest.empty()) return "an object has no type";
    if (open_.empty() && (type != "Machine" || met_root_))
      return "its root is not a single Machine";
    met_root_ = true;
    Sets sets;
    if (has_no_sets(type)) {
      if (open_.empty()) return "its root is not a single Machine";
      sets = open_.back();
    } else {
      const auto parsed = parse_sets(tag, version_1_);
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
    const auto index = number_in<unsigned>(attribute(tag, "os_index"));
    if (!index) return fmt::format("a {} has no os_index", type);
    const bool fits = type == "PU" ? sets.complete_cpus == CpuSet{CpuId(*index)}
                                   : sets.complete_nodes == NodeSet{NodeId(*index)};
    if (!fits) return fmt::format("the sets of {} {} name other objects", type, *index);
    const bool fresh =
        type == "PU" ? !seen_cpus_.contains(CpuId(*index)) : !seen_nodes_.contains(NodeId(*index));
    if (!fresh) return fmt::format("{} {} occurs twice", type, *index);
    if (type == "PU")
      seen_cpus_.insert(CpuId(*index));
    else
      seen_nodes_.insert(NodeId(*index));
    return "";
  }

  bool version_1_;
  std::vector<Sets> open_;
  bool met_root_ = false;
  CpuSet seen_cpus_;
  NodeSet seen_nodes_;
};

/// Checks the memory attributes, whose values hwloc's own reader takes as they come: "-5" for a
/// huge number and "fast" for 0. Is shown every tag in turn. Objects come before attributes, as
/// hwloc writes them.
class ValueChecker {
 public:
  /// The problem of this tag, or nothing.
  std::string check(const Tag& tag);

 private:
  [[nodiscard]] std::string place_of(const Tag& tag) const;

  std::map<std::string, std::string, std::less<>> nodes_;  ///< Node numbers by hwloc's gp_index.
  std::string attribute_;                                  ///< The attribute that is open.
};

std::string ValueChecker::check(const Tag& tag) {
  if (tag.name == "object" && attribute(tag, "type") == "NUMANode") {
    nodes_.emplace(attribute(tag, "gp_index"), attribute(tag, "os_index"));
  } else if (tag.name == "memattr") {
    attribute_ = attribute(tag, "name");
  } else if (tag.name == "memattr_value" && tag.kind != Tag::Kind::end) {
    const std::string_view value = attribute(tag, "value");
    if (!number_in(value)) {
      return fmt::format("its {} {} is '{}', which is not a whole number", attribute_,
                         place_of(tag), value);
    }
  }
  return "";
}

std::string ValueChecker::place_of(const Tag& tag) const {
  const auto node = nodes_.find(attribute(tag, "target_obj_gp_index"));
  const std::string to = node == nodes_.end() ? "an unknown object" : "node " + node->second;
  const auto cpus = parse_mask<CpuId>(attribute(tag, "initiator_cpuset"));
  if (!cpus || cpus->empty()) return "of " + to;
  return fmt::format("from CPUs {} to {}", to_list(*cpus), to);
}

}  // namespace

std::string find_xml_problem(std::string_view xml) {
  std::optional<ObjectChecker> objects;  // Once the topology has said its version.
  ValueChecker values;
  bool version_1 = false;
  for (Tag tag = take_tag(xml); tag.kind != Tag::Kind::none; tag = take_tag(xml)) {
    if (tag.kind == Tag::Kind::malformed) return "it is not XML as hwloc writes it";
    if (tag.name == "topology" && tag.kind == Tag::Kind::start && !objects) {
      version_1 = attribute(tag, "version").empty();
      objects.emplace(version_1);
    }
    if (!masks_are_readable(tag, version_1))
      return fmt::format("the set of an element '{}' is malformed", tag.name);
    if (std::string problem = values.check(tag); !problem.empty()) return problem;
    if (tag.name != "object") continue;
    if (!objects) return "it is not a complete hwloc topology";
    if (std::string problem = objects->check(tag); !problem.empty()) return problem;
  }
  return objects ? objects->finish() : "it is not a complete hwloc topology";
}

}  // namespace homenode::machine
