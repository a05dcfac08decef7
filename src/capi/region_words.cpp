#include "capi/region_words.h"

#include <nlohmann/json.hpp>

namespace homenode::capi {

std::string to_json(const actuation::Audit& audit, std::size_t page_bytes,
                    std::optional<Bytes> huge) {
  using Json = nlohmann::ordered_json;
  Json nodes = Json::object();
  for (const auto& [node, pages] : audit.pages_on_node) nodes[std::to_string(node.value())] = pages;
  Json reasons = Json::object();
  for (const auto& [reason, pages] : audit.reasons) reasons[actuation::to_string(reason)] = pages;
  return Json{
      {"schema", "homenode.audit/1"},           {"page_bytes", page_bytes},
      {"pages", audit.node_of_page.size()},     {"pages_on_node", std::move(nodes)},
      {"pages_on_no_node", std::move(reasons)}, {"huge_bytes", huge ? Json(huge->value) : Json()}}
      .dump();
}

}  // namespace homenode::capi
