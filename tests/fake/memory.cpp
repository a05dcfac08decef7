#include "fake/memory.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace homenode::os {
namespace {

constexpr std::size_t pages_per_unit = fake_huge_page_bytes / fake_page_bytes;

std::uintptr_t page_of(std::uintptr_t address) {
  return address / fake_page_bytes;
}
constexpr int fake_preferred_many = 5;  // MPOL_PREFERRED_MANY.

std::uintptr_t unit_of(std::uintptr_t address) {
  return address / fake_huge_page_bytes;
}

}  // namespace

int FakeMemory::map(std::uintptr_t address, std::size_t bytes) {
  if (mappings_.size() >= limits_.max_mappings) return -ENOMEM;
  mappings_[address] = {address + bytes, std::nullopt, true};
  return 0;
}

int FakeMemory::unmap(std::uintptr_t address, std::size_t bytes) {
  split_at(address);
  const auto end = split_at(address + bytes);
  mappings_.erase(mappings_.lower_bound(address), end);
  for (std::size_t offset = 0; offset < bytes; offset += fake_page_bytes) {
    pages_.erase(page_of(address + offset));
    huge_units_.erase(unit_of(address + offset));
  }
  return 0;
}

int FakeMemory::bind(std::uintptr_t address, std::size_t bytes, const FakePolicy& policy) {
  return change(address, bytes, [&](Mapping& mapping) {
    if (policy.mode == MPOL_DEFAULT) {
      mapping.policy.reset();
    } else {
      mapping.policy = policy;
    }
  });
}

int FakeMemory::set_home(std::uintptr_t address, std::size_t bytes, NodeId home) {
  int result = 0;
  const int changed = change(address, bytes, [&](Mapping& mapping) {
    if (!mapping.policy) return;
    const int mode = mapping.policy->mode & ~MPOL_MODE_FLAGS;
    if (mode == MPOL_BIND || mode == fake_preferred_many) {
      mapping.policy->home = home;
    } else {
      result = -EOPNOTSUPP;
    }
  });
  return changed < 0 ? changed : result;
}

int FakeMemory::move_by_policy(std::uintptr_t address, std::size_t bytes, NodeId local) {
  for (std::uintptr_t at = address; at < address + bytes; at += fake_page_bytes) {
    const auto page = pages_.find(page_of(at));
    if (page == pages_.end()) continue;
    Mapping& mapping = std::prev(mappings_.upper_bound(at))->second;
    FakePolicy none;
    const FakePolicy& policy = mapping.policy ? *mapping.policy : none;
    if ((policy.nodes & nodes_).contains(page->second)) continue;
    const std::size_t pages = huge_units_.contains(unit_of(at)) ? pages_per_unit : 1;
    (void)move(at, choose(policy, at, local, pages));  // What cannot move stays, without a word.
  }
  return 0;
}

int FakeMemory::forbid_huge_pages(std::uintptr_t address, std::size_t bytes) {
  return change(address, bytes, [](Mapping& mapping) { mapping.huge_pages = false; });
}

int FakeMemory::split_huge_pages(std::uintptr_t address, std::size_t bytes) {
  if (!is_mapped(address, address + bytes)) return -ENOMEM;
  for (std::uintptr_t at = address; at < address + bytes; at += fake_page_bytes) {
    if (huge_units_.erase(unit_of(at)) == 0 || !limits_.split_lets_go) continue;
    for (std::size_t i = 0; i < pages_per_unit; ++i) pages_.erase(unit_of(at) * pages_per_unit + i);
  }
  return 0;
}

int FakeMemory::populate(std::uintptr_t address, std::size_t bytes, const FakePolicy& thread,
                         NodeId local) {
  if (!is_mapped(address, address + bytes)) return -ENOMEM;
  for (std::uintptr_t at = address; at < address + bytes; at += fake_page_bytes) {
    if (!pages_.contains(page_of(at))) fault(at, thread, local);
  }
  return 0;
}

void FakeMemory::fault(std::uintptr_t address, const FakePolicy& thread, NodeId local) {
  const auto found = std::prev(mappings_.upper_bound(address));
  Mapping& mapping = found->second;
  const FakePolicy& policy = mapping.policy ? *mapping.policy : thread;
  const std::uintptr_t unit = unit_of(address) * fake_huge_page_bytes;
  bool huge = limits_.huge_pages && mapping.huge_pages && unit >= found->first &&
              unit + fake_huge_page_bytes <= mapping.end;
  for (std::size_t i = 0; huge && i < pages_per_unit; ++i)
    huge = !pages_.contains(page_of(unit) + i);
  const std::size_t pages = huge ? pages_per_unit : 1;
  const NodeId node = choose(policy, address, local, pages);
  take(node, pages);
  if (huge) huge_units_[unit_of(address)] = true;
  for (std::size_t i = 0; i < pages; ++i) {
    pages_[(huge ? page_of(unit) : page_of(address)) + i] = node;
  }
}

/// The nodes of an interleave policy in turn, each as often as its weight says.
std::vector<NodeId> FakeMemory::turns_of(const FakePolicy& policy) const {
  std::vector<NodeId> turns;
  const bool equal = (policy.mode & ~MPOL_MODE_FLAGS) == MPOL_INTERLEAVE;
  for (NodeId node : (policy.nodes & nodes_).to_vector()) {
    const auto weight = limits_.weights.find(node);
    turns.insert(turns.end(), equal || weight == limits_.weights.end() ? 1 : weight->second, node);
  }
  return turns;
}

NodeId FakeMemory::choose(const FakePolicy& policy, std::uintptr_t address, NodeId local,
                          std::size_t pages) const {
  const int mode = policy.mode & ~MPOL_MODE_FLAGS;
  std::vector<NodeId> candidates;
  if (mode == MPOL_INTERLEAVE || mode == fake_weighted_interleave) {
    const std::vector<NodeId> turns = turns_of(policy);
    if (!turns.empty()) candidates.push_back(turns[page_of(address) / pages % turns.size()]);
  }
  if (policy.home && policy.nodes.contains(*policy.home)) candidates.push_back(*policy.home);
  for (NodeId node : (policy.nodes & nodes_).to_vector()) candidates.push_back(node);
  if (candidates.empty()) candidates.push_back(local);
  if (mode != MPOL_BIND) {
    for (NodeId other : nodes_.to_vector()) candidates.push_back(other);
  }
  for (NodeId node : candidates) {
    if (nodes_.contains(node) && has_room(node, pages)) return node;
  }
  return candidates.front();
}

int FakeMemory::move(std::uintptr_t address, NodeId target) {
  const int from = node_of(address);
  if (from < 0) return from;
  if (!nodes_.contains(target)) return -ENODEV;
  const bool huge = huge_units_.contains(unit_of(address));
  const std::size_t pages = huge ? pages_per_unit : 1;
  if (NodeId(static_cast<unsigned>(from)) == target) return from;
  if (!has_room(target, pages)) return -ENOMEM;
  take(target, pages);
  const std::uintptr_t first = huge ? unit_of(address) * pages_per_unit : page_of(address);
  for (std::size_t i = 0; i < pages; ++i) pages_[first + i] = target;
  return static_cast<int>(target.value());
}

int FakeMemory::node_of(std::uintptr_t address) const {
  if (const auto page = pages_.find(page_of(address)); page != pages_.end()) {
    return static_cast<int>(page->second.value());
  }
  return find(address) == nullptr ? -EFAULT : -ENOENT;
}

const FakePolicy* FakeMemory::policy_of(std::uintptr_t address) const {
  const Mapping* const mapping = find(address);
  return mapping != nullptr && mapping->policy ? &*mapping->policy : nullptr;
}

std::string FakeMemory::maps() const {
  std::string text;
  for (const auto& [first, mapping] : mappings_) {
    text += fmt::format("{:x}-{:x} rw-p 00000000 00:00 0\n", first, mapping.end);
  }
  return text;
}

const FakeMemory::Mapping* FakeMemory::find(std::uintptr_t address) const {
  const auto after = mappings_.upper_bound(address);
  if (after == mappings_.begin()) return nullptr;
  const Mapping& mapping = std::prev(after)->second;
  return address < mapping.end ? &mapping : nullptr;
}

bool FakeMemory::is_mapped(std::uintptr_t first, std::uintptr_t end) const {
  while (first < end) {
    const Mapping* const mapping = find(first);
    if (mapping == nullptr) return false;
    first = mapping->end;
  }
  return true;
}

FakeMemory::Mappings::iterator FakeMemory::split_at(std::uintptr_t address) {
  const auto after = mappings_.upper_bound(address);
  if (after == mappings_.begin()) return after;
  const auto found = std::prev(after);
  if (found->first == address) return found;
  if (address >= found->second.end) return after;
  Mapping tail = found->second;
  found->second.end = address;
  return mappings_.emplace(address, std::move(tail)).first;
}

template <class Change>
int FakeMemory::change(std::uintptr_t address, std::size_t bytes, Change apply) {
  if (!is_mapped(address, address + bytes)) return -EFAULT;
  if (mappings_.size() + 2 > limits_.max_mappings) return -ENOMEM;
  const auto first = split_at(address);
  const auto end = split_at(address + bytes);
  for (auto mapping = first; mapping != end; ++mapping) apply(mapping->second);
  return 0;
}

bool FakeMemory::has_room(NodeId node, std::size_t pages) const {
  const auto free = limits_.free_pages.find(node);
  return free == limits_.free_pages.end() || free->second >= pages;
}

void FakeMemory::take(NodeId node, std::size_t pages) {
  const auto free = limits_.free_pages.find(node);
  if (free != limits_.free_pages.end()) free->second -= std::min(free->second, pages);
}

}  // namespace homenode::os
