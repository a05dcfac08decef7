#include "machine/xml_values.h"

#include <fmt/format.h>

#include "base/id_list.h"
#include "base/sizes.h"
#include "machine/xml_mask.h"

namespace homenode::machine {
std::string ValueChecker::check(const Tag& tag) {
  if (tag.name == "object" && attribute(tag, "type") == "NUMANode") {
    nodes_.emplace(attribute(tag, "gp_index"), attribute(tag, "os_index"));
  } else if (tag.name == "memattr") {
    attribute_ = attribute(tag, "name");
  } else if (tag.name == "memattr_value" && tag.kind != Tag::Kind::end) {
    const std::string_view value = attribute(tag, "value");
    if (!number_in(value)) {
      return fmt::format("its {} {} is '{}', which is no whole number", attribute_, place_of(tag),
                         value);
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

}  // namespace homenode::machine
