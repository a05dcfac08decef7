// A message-driven program as others run it: a program (program/program.h) that also says which PE
// each page of its messages goes from and to, and in whose threads others may bind the PEs.
#pragma once

#include <vector>

#include "workloads/message/channels.h"
#include "workloads/message/runtime.h"
#include "workloads/program/program.h"

namespace homenode::workloads::message {

/// The names of arrays.
inline constexpr const char* inboxes_array = "inboxes";    ///< A page for each PE.
inline constexpr const char* messages_array = "messages";  ///< Absent where they are malloc's.

/// What all message-driven programs are told.
struct Layout {
  unsigned pes = 1;
  std::size_t page_bytes = 4096;
  bool from_malloc = false;  ///< Each message from malloc instead of the array `messages`.
};

/// Program::run() takes as many threads as the layout has PEs: its own, no OpenMP team.
class MessageProgram : public Program {
 public:
  /// Of the array `messages`; no memory lies there where they are malloc's.
  [[nodiscard]] virtual const std::vector<Channel>& channels() const = 0;

  PeTeam team;          ///< Of the runs to come.
  RunOutcome last_run;  ///< An outcome without checks comes of a run that did not begin.
};

/// The inboxes, the arrays that only this program has, and last the messages, unless from malloc.
inline std::vector<ArrayNeed> arrays_of(const Layout& layout, const std::vector<Channel>& channels,
                                        const std::vector<ArrayNeed>& own = {}) {
  std::vector<ArrayNeed> needs{{inboxes_array, layout.pes * layout.page_bytes, Sharing::parts}};
  needs.insert(needs.end(), own.begin(), own.end());
  if (!layout.from_malloc) {
    needs.push_back({messages_array, region_bytes(channels), Sharing::parts});
  }
  return needs;
}

/// The memory of each PE in the array `inboxes`.
inline std::vector<void*> pe_memory(void* inboxes, const Layout& layout) {
  static_assert(sizeof(Pe) <= 4096);
  std::vector<void*> memory;
  for (unsigned pe = 0; pe < layout.pes; ++pe) {
    memory.push_back(static_cast<std::byte*>(inboxes) + pe * layout.page_bytes);
  }
  return memory;
}

/// The PE of object `i` of `count` that are dealt out in blocks.
inline unsigned pe_of(std::size_t i, std::size_t count, unsigned pes) {
  return static_cast<unsigned>(i * pes / count);
}

}  // namespace homenode::workloads::message
