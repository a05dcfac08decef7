#include "sensing/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace homenode::sensing {
namespace {

constexpr const char* group_names[] = {"heap", "stacks", "anonymous", "files", "shared", "huge"};

/// Memory that has a name of a file but is none: what shm_open, memfd_create, shmget and a shared
/// anonymous mmap give.
bool is_shared_memory(const std::string& file) {
  return file.starts_with("/dev/shm/") || file.starts_with("/SYSV") ||
         file.starts_with("/memfd:") || file.starts_with("/dev/zero");
}

Group group_of(const NumaMapping& numa, std::uint64_t pages) {
  if (numa.huge) return Group::huge;
  if (numa.heap) return Group::heap;
  if (numa.stack) return Group::stack;
  if (numa.file.empty()) return Group::anonymous;
  // Pages of a private file that were written are the process's own and no page cache.
  if (pages > 0 && numa.anon == pages) return Group::anonymous;
  return is_shared_memory(numa.file) ? Group::shared : Group::file;
}

const MapsEntry* find(const std::vector<MapsEntry>& entries, std::uint64_t first) {
  const auto at = std::lower_bound(
      entries.begin(), entries.end(), first,
      [](const MapsEntry& entry, std::uint64_t value) { return entry.first < value; });
  return at != entries.end() && at->first == first ? &*at : nullptr;
}

}  // namespace

std::string to_string(Group group) {
  return group_names[static_cast<std::size_t>(group)];
}

std::string to_string(const HeapOwner& owner) {
  std::string text = owner.private_heap ? "private heap" : "malloc";
  if (owner.node) text += fmt::format(" node {}", owner.node->value());
  return text;
}

std::string to_string(const std::vector<HeapOwner>& owners) {
  std::string text;
  for (const HeapOwner& owner : owners) {
    if (!text.empty()) text += ", ";
    text += to_string(owner);
  }
  return text;
}

std::optional<Group> parse_group(std::string_view name) {
  for (Group group : all_groups) {
    if (to_string(group) == name) return group;
  }
  return std::nullopt;
}

std::uint64_t Mapping::page_count() const {
  std::uint64_t count = 0;
  for (const auto& [node, on_node] : pages) count += on_node;
  return count;
}

const NodeFacts* Survey::find(NodeId id) const {
  const auto at = std::find_if(nodes.begin(), nodes.end(),
                               [id](const NodeFacts& node) { return node.id == id; });
  return at == nodes.end() ? nullptr : &*at;
}

std::vector<Mapping> join(const std::vector<NumaMapping>& numa,
                          const std::vector<MapsEntry>& entries, bool with_amounts) {
  std::vector<Mapping> mappings;
  mappings.reserve(numa.size());
  for (const NumaMapping& from : numa) {
    Mapping mapping;
    mapping.first = from.first;
    mapping.name = from.file;
    mapping.policy = from.policy;
    mapping.page_size = from.page_size;
    mapping.pages = from.pages;
    mapping.anon_pages = from.anon;
    mapping.most_sharers = from.most_sharers;
    mapping.group = group_of(from, mapping.page_count());
    if (const MapsEntry* const entry = find(entries, from.first)) {
      mapping.end = entry->end;
      if (mapping.name.empty()) mapping.name = entry->name;
      if (with_amounts) {
        mapping.transparent_huge = entry->transparent_huge;
        mapping.swapped = entry->swapped;
        mapping.locked = entry->locked;
      }
    }
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

void add(BytesOnNodes& sum, const Mapping& mapping) {
  for (const auto& [node, pages] : mapping.pages) {
    sum[node] += bytes_of(pages, mapping.page_size).value;
  }
}

std::uint64_t sum_of(const BytesOnNodes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
}

std::uint64_t bytes_at(const BytesOnNodes& bytes, NodeId node) {
  const auto found = bytes.find(node);
  return found == bytes.end() ? 0 : found->second;
}

BytesOnNodes bytes_on_nodes(const Survey& survey) {
  BytesOnNodes sum;
  for (const Mapping& mapping : survey.mappings) add(sum, mapping);
  return sum;
}

BytesOnNodes bytes_on_nodes(const Survey& survey, Group group) {
  BytesOnNodes sum;
  for (const Mapping& mapping : survey.mappings) {
    if (mapping.group == group) add(sum, mapping);
  }
  return sum;
}

std::map<std::string, BytesOnNodes> bytes_of_owners(const Survey& survey) {
  std::map<std::string, BytesOnNodes> sums;
  for (const Mapping& mapping : survey.mappings) {
    if (!mapping.owners.empty()) add(sums[to_string(mapping.owners)], mapping);
  }
  return sums;
}

}  // namespace homenode::sensing
