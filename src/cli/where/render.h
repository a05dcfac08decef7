// A survey as text and as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "sensing/survey.h"

namespace homenode::cli {

/// Groups by nodes, mappings by nodes (the `mappings` largest), threads by nodes, and which
/// mappings are not as their policy says.
std::string where_text(const sensing::Survey& survey, std::size_t mappings);

/// Schema homenode.where/1. All mappings and all threads.
nlohmann::ordered_json where_json(const sensing::Survey& survey);

/// The nodes that a table shows: all when they are few, else those with pages or threads, in order.
std::vector<NodeId> shown_nodes(const sensing::Survey& survey);

/// "1.50" MiB; "-" for nothing.
std::string mebibytes(std::uint64_t bytes);

/// A name on one line: control characters as \n or \x1b, so that no name can draw on a terminal.
std::string printable(const std::string& name);

/// {"0": 4096, "64": 8192}
nlohmann::ordered_json json_of(const sensing::BytesOnNodes& bytes);

}  // namespace homenode::cli
