#include "trial/gather_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace homenode::trial {
namespace {

using GatherJson = nlohmann::ordered_json;
namespace gather = workloads::gather;

/// Null when the key is there and its value is no number from 0 on.
std::optional<std::uint64_t> count_at(const GatherJson& entry, const char* key,
                                      std::uint64_t standard) {
  const auto found = entry.find(key);
  if (found == entry.end()) return standard;
  if (!found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::optional<std::vector<std::uint64_t>> indices_at(const GatherJson& entry) {
  const auto found = entry.find("pattern");
  if (found == entry.end()) return std::nullopt;
  if (found->is_string()) return gather::parse_indices(found->get<std::string>());
  if (!found->is_array() || found->empty() || found->size() > gather::most_indices) {
    return std::nullopt;
  }
  std::vector<std::uint64_t> indices;
  for (const GatherJson& index : *found) {
    if (!index.is_number_unsigned()) return std::nullopt;
    indices.push_back(index.get<std::uint64_t>());
  }
  return indices;
}

/// An empty text when all is well, else what is not.
std::string read_entry(const GatherJson& entry, gather::IndexPattern& pattern) {
  if (!entry.is_object()) return "is not an object";
  const auto kernel = entry.find("kernel");
  const std::string word = kernel == entry.end() ? "Gather"
                           : kernel->is_string() ? kernel->get<std::string>()
                                                 : "?";
  if (word == "Scatter" || word == "scatter") {
    pattern.direction = gather::Direction::scatter;
  } else if (word != "Gather" && word != "gather") {
    return fmt::format("has the kernel '{}', which is neither Gather nor Scatter", word);
  }
  auto indices = indices_at(entry);
  if (!indices) return "has no usable pattern";
  pattern.indices = *std::move(indices);
  const auto delta = count_at(entry, "delta", pattern.delta);
  const auto count = count_at(entry, "count", pattern.count);
  if (!delta) return "has no usable delta";
  if (!count || *count == 0) return "has no usable count";
  pattern.delta = *delta;
  pattern.count = *count;
  if (!pattern.reach()) return "reaches beyond any memory";
  const auto name = entry.find("name");
  if (name != entry.end() && name->is_string()) pattern.name = name->get<std::string>();
  return {};
}

}  // namespace

Result<std::vector<gather::IndexPattern>> read_patterns(std::string_view json) {
  const GatherJson file = GatherJson::parse(json, nullptr, false);
  if (!file.is_array() || file.empty()) {
    return bad_usage("the pattern file is not a JSON array of objects",
                     R"(write [{"kernel": "Gather", "pattern": [0, 2], "delta": 8, "count": 9}])");
  }
  std::vector<gather::IndexPattern> patterns;
  for (const GatherJson& entry : file) {
    gather::IndexPattern pattern;
    pattern.name = fmt::format("pattern {}", patterns.size());
    if (const std::string wrong = read_entry(entry, pattern); !wrong.empty()) {
      return bad_usage(fmt::format("entry {} of the pattern file {}", patterns.size(), wrong),
                       "'homenode bench gather --help' says what an entry has");
    }
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace homenode::trial
