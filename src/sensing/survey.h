// A survey of one process: its mappings with the pages that each node has, its threads, and the
// nodes themselves. Values only; process_reader.h fills them, the command line shows them.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id_set.h"
#include "base/units.h"
#include "sensing/memory_maps.h"
#include "sensing/numa_maps.h"

namespace homenode::sensing {

/// What a mapping is. `file` is the part of the page cache that the process maps.
enum class Group { heap, stack, anonymous, file, shared, huge };
inline constexpr Group all_groups[] = {Group::heap, Group::stack,  Group::anonymous,
                                       Group::file, Group::shared, Group::huge};
/// "heap", "stacks", "anonymous", "files", "shared", "huge".
std::string to_string(Group group);
std::optional<Group> parse_group(std::string_view name);

/// Whose a piece of homenode's malloc is.
struct HeapOwner {
  bool private_heap = false;   ///< Of one, and not of malloc itself.
  std::optional<NodeId> node;  ///< Nothing for memory that serves several nodes.
  friend auto operator<=>(const HeapOwner&, const HeapOwner&) = default;
};
/// "malloc node 1", "private heap node 0", "malloc".
std::string to_string(const HeapOwner& owner);
/// "malloc node 0, malloc node 1": of a mapping that the kernel made of several.
std::string to_string(const std::vector<HeapOwner>& owners);

struct Mapping {
  std::uint64_t first = 0;
  std::optional<std::uint64_t> end;  ///< Nothing when only numa_maps was read.
  Group group = Group::anonymous;
  std::string name;  ///< The file, or what the kernel or the program calls it; may be empty.
  StatedPolicy policy;
  Bytes page_size;
  PagesOnNodes pages;
  std::uint64_t anon_pages = 0;  ///< Of these, private to the process.
  std::uint64_t most_sharers = 1;
  std::optional<Bytes> transparent_huge;  ///< With the amounts of smaps only, as the next.
  std::optional<Bytes> swapped;
  std::optional<Bytes> locked;
  std::optional<pid_t> stack_of;  ///< The thread whose stack it holds, when that is known.
  std::vector<HeapOwner> owners;  ///< Of homenode's malloc: each once; empty for other memory.

  [[nodiscard]] std::uint64_t page_count() const;
  [[nodiscard]] Bytes bytes() const { return bytes_of(page_count(), page_size); }
};

struct ThreadFacts {
  pid_t id = 0;
  std::string name;
  char state = '?';
  std::uint64_t started = 0;
  CpuId last_cpu;
  std::optional<NodeId> node;  ///< Of last_cpu.
  CpuSet allowed;              ///< Empty when it cannot be read.
};

struct NodeFacts {
  NodeId id;
  CpuSet cpus;
  Bytes total;
  Bytes free;
  bool memory_known = true;  ///< False where it could not be read.
  bool cpus_known = true;    ///< The same for its CPUs.
};

struct Survey {
  pid_t pid = 0;
  std::string name;
  std::uint64_t started = 0;
  std::vector<NodeFacts> nodes;  ///< In increasing order of id.
  NodeSet allowed_memory;        ///< The nodes whose memory the process may use.
  std::vector<Mapping> mappings;
  std::vector<ThreadFacts> threads;  ///< In the order in which they were started.
  bool with_threads = false;         ///< False when they were not asked for or could not be listed.
  std::size_t unread_threads = 0;    ///< That are left out because their files cannot be read.
  std::string source;                ///< What the numbers of pages come from.
  std::vector<std::string> notes;    ///< What could not be seen, and why.

  [[nodiscard]] const NodeFacts* find(NodeId id) const;
};

/// Joins numa_maps and maps (or smaps) by address. Without maps, `entries` is empty.
std::vector<Mapping> join(const std::vector<NumaMapping>& numa,
                          const std::vector<MapsEntry>& entries, bool with_amounts);

/// Bytes on each node.
using BytesOnNodes = std::map<NodeId, std::uint64_t>;
void add(BytesOnNodes& sum, const Mapping& mapping);
std::uint64_t sum_of(const BytesOnNodes& bytes);
std::uint64_t bytes_at(const BytesOnNodes& bytes, NodeId node);
BytesOnNodes bytes_on_nodes(const Survey& survey);
BytesOnNodes bytes_on_nodes(const Survey& survey, Group group);
/// What the owners of homenode's malloc have, by to_string(owners).
std::map<std::string, BytesOnNodes> bytes_of_owners(const Survey& survey);

}  // namespace homenode::sensing
