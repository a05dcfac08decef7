// The fake kernel's memory: mappings with their policies, pages with their nodes, huge pages and
// nodes that can be full. A model to test placement with, of the rules that placement relies on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/id_set.h"

namespace homenode::os {

inline constexpr std::size_t fake_page_bytes = 4096;
inline constexpr std::size_t fake_huge_page_bytes = std::size_t{2} << 20;

inline constexpr int fake_weighted_interleave = 6;  ///< MPOL_WEIGHTED_INTERLEAVE.

/// A memory policy as the kernel keeps it.
struct FakePolicy {
  int mode = 0;
  NodeSet nodes;
  std::optional<NodeId> home = std::nullopt;
};

/// Not thread safe; Fake holds its lock around every call.
class FakeMemory {
 public:
  struct Limits {
    bool huge_pages = false;  ///< As if transparent huge pages were set to `always`.
    /// As Linux 6.12: pages of a huge page that hold only zeros are not present once it is split.
    /// All of them do here.
    bool split_lets_go = false;
    std::size_t max_mappings = 65530;          ///< vm.max_map_count.
    std::map<NodeId, std::size_t> free_pages;  ///< Nodes that are not named never get full.
    std::map<NodeId, std::size_t> weights;     ///< Of weighted interleave; 1 where not named.
  };
  explicit FakeMemory(Limits limits, NodeSet nodes)
      : limits_(std::move(limits)), nodes_(std::move(nodes)) {}

  /// All of these give 0 or -errno.
  int map(std::uintptr_t address, std::size_t bytes);
  int unmap(std::uintptr_t address, std::size_t bytes);
  int bind(std::uintptr_t address, std::size_t bytes, const FakePolicy& policy);
  int set_home(std::uintptr_t address, std::size_t bytes, NodeId home);
  /// Moves the present pages that are on no node of their mapping's policy to one that is, as mbind
  /// with MPOL_MF_MOVE does; a policy without nodes moves them to `local`.
  int move_by_policy(std::uintptr_t address, std::size_t bytes, NodeId local);
  int forbid_huge_pages(std::uintptr_t address, std::size_t bytes);
  /// What MADV_COLD does to a part of a huge page: the page is split.
  int split_huge_pages(std::uintptr_t address, std::size_t bytes);
  /// Faults the absent pages in, under the mapping's policy or else the thread's.
  int populate(std::uintptr_t address, std::size_t bytes, const FakePolicy& thread, NodeId local);
  /// The page's node after a move, or -errno. A huge page moves as a whole.
  int move(std::uintptr_t address, NodeId target);

  /// The node of a page or -ENOENT (not present) or -EFAULT (not mapped).
  [[nodiscard]] int node_of(std::uintptr_t address) const;
  /// The policy of the mapping; null where it has none or there is no mapping.
  [[nodiscard]] const FakePolicy* policy_of(std::uintptr_t address) const;
  [[nodiscard]] std::size_t mappings() const { return mappings_.size(); }
  /// The mappings, one a line, as far as /proc/self/maps is read.
  [[nodiscard]] std::string maps() const;

 private:
  struct Mapping {
    std::uintptr_t end = 0;
    std::optional<FakePolicy> policy;
    bool huge_pages = true;
  };
  using Mappings = std::map<std::uintptr_t, Mapping>;

  [[nodiscard]] const Mapping* find(std::uintptr_t address) const;
  [[nodiscard]] bool is_mapped(std::uintptr_t first, std::uintptr_t end) const;
  Mappings::iterator split_at(std::uintptr_t address);
  template <class Change>
  int change(std::uintptr_t address, std::size_t bytes, Change apply);
  std::vector<NodeId> turns_of(const FakePolicy& policy) const;
  NodeId choose(const FakePolicy& policy, std::uintptr_t address, NodeId local,
                std::size_t pages) const;
  bool has_room(NodeId node, std::size_t pages) const;
  void take(NodeId node, std::size_t pages);
  void fault(std::uintptr_t address, const FakePolicy& thread, NodeId local);

  Limits limits_;
  NodeSet nodes_;
  Mappings mappings_;
  std::unordered_map<std::uintptr_t, NodeId> pages_;     // By page number.
  std::unordered_map<std::uintptr_t, bool> huge_units_;  // By huge page number: present as one.
};

}  // namespace homenode::os
