// A view of the whole machine: what each node's memory is used for, and of every process on which
// nodes its memory and its threads are. Few reads: two files for a process, and one for each thread
// of those that have several. Serves `where --system`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sensing/survey.h"
#include "sensing/system_files.h"

namespace homenode::sensing {

/// What an allocation on a node came to, in pages since the system started, as numastat has it.
struct PageCounters {
  std::uint64_t hit = 0;         ///< Wanted here, and here.
  std::uint64_t miss = 0;        ///< Wanted on another node, and here.
  std::uint64_t foreign = 0;     ///< Wanted here, and on another node.
  std::uint64_t interleave = 0;  ///< Interleaved to here, and here.
  std::uint64_t local = 0;       ///< By a CPU of this node, and here.
  std::uint64_t other = 0;       ///< By a CPU of another node, and here.
};

/// Huge pages of one size that are set aside on a node.
struct HugePages {
  Bytes page_size;
  std::uint64_t total = 0;
  std::uint64_t free = 0;
};

struct NodeUse {
  NodeFacts node;
  std::optional<unsigned> tier;  ///< Nothing on kernels without memory tiers.
  Bytes anonymous;
  Bytes page_cache;
  Bytes slab;              ///< Of the kernel, for its own objects.
  Bytes transparent_huge;  ///< Of the anonymous memory, in transparent huge pages.
  std::optional<PageCounters> counters;
  std::vector<HugePages> huge_pages;  ///< By increasing size.
};

struct ProcessUse {
  pid_t pid = 0;
  std::string name;
  Bytes resident;  ///< Where memory is not known by node; else the sum over all nodes.
  std::optional<BytesOnNodes> memory;  ///< Nothing where the kernel does not let it be read.
  std::size_t threads = 0;
  std::map<NodeId, std::size_t> threads_on;  ///< How many last ran on each node.
};

/// The part of the process's memory that is on nodes where its threads last ran; nothing where it
/// is not known, or there is none.
std::optional<double> local_share(const ProcessUse& process);

struct SystemView {
  std::vector<NodeUse> nodes;         ///< In increasing order of id.
  std::vector<ProcessUse> processes;  ///< The largest first.
  std::vector<std::string> notes;     ///< What could not be seen, and why.
};

/// All processes with memory that this person can see; threads of the kernel and processes that
/// end meanwhile are left out. Memory that several processes map counts for each of them. Errors:
/// failed when /proc or the nodes cannot be read.
Result<SystemView> read_system(const SystemFiles& files);

}  // namespace homenode::sensing
