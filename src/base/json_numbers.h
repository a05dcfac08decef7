// Ids in JSON: a set or a list of them is an array of numbers, and amounts by node are an object
// from the number of the node to the amount. Every document has them in these forms.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

#include "base/id_set.h"
#include "base/ids.h"

namespace homenode {

template <class IdType>
nlohmann::ordered_json numbers(const std::vector<IdType>& ids) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (IdType id : ids) list.push_back(id.value());
  return list;
}

/// In increasing order.
template <class IdType>
nlohmann::ordered_json numbers(const IdSet<IdType>& ids) {
  return numbers(ids.to_vector());
}

/// {"0": 4096, "2": 8192}, in increasing order of the nodes.
template <class Amount>
nlohmann::ordered_json by_node(const std::map<NodeId, Amount>& amounts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [node, amount] : amounts) json[std::to_string(node.value())] = amount;
  return json;
}

}  // namespace homenode
