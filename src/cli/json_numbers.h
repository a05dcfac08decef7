// Sets and lists of ids as arrays of numbers: what every --json of a verb writes them as.
#pragma once

#include <nlohmann/json.hpp>

#include <vector>

#include "base/id_set.h"

namespace homenode::cli {

template <class IdType>
nlohmann::ordered_json numbers(const std::vector<IdType>& ids) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (IdType id : ids) list.push_back(id.value());
  return list;
}

template <class IdType>
nlohmann::ordered_json numbers(const IdSet<IdType>& ids) {
  return numbers(ids.to_vector());
}

}  // namespace homenode::cli
