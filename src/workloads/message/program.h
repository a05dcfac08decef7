// A message-driven program as others run it: a program (program/program.h) that also says which PE
// each page of its messages goes from and to, and in whose threads others may bind the PEs.
#pragma once

#include <vector>

#include "workloads/message/channels.h"
#include "workloads/message/runtime.h"
#include "workloads/program/description.h"
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
std::vector<ArrayNeed> arrays_of(const Layout& layout, const std::vector<Channel>& channels,
                                 const std::vector<ArrayNeed>& own = {});

/// The memory of each PE in the array `inboxes`.
std::vector<void*> pe_memory(void* inboxes, const Layout& layout);

/// The PE of object `i` of `count` that are dealt out in blocks.
unsigned pe_of(std::size_t i, std::size_t count, unsigned pes);

/// The parameters of every message-driven program, beside those of every program.
void add_message_parameters(Description& description);

}  // namespace homenode::workloads::message
