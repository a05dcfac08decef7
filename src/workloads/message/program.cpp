#include "workloads/message/program.h"

namespace homenode::workloads::message {

std::vector<ArrayNeed> arrays_of(const Layout& layout, const std::vector<Channel>& channels,
                                 const std::vector<ArrayNeed>& own) {
  std::vector<ArrayNeed> needs{{inboxes_array, layout.pes * layout.page_bytes, Sharing::parts}};
  needs.insert(needs.end(), own.begin(), own.end());
  if (!layout.from_malloc) {
    needs.push_back({messages_array, region_bytes(channels), Sharing::parts});
  }
  return needs;
}

std::vector<void*> pe_memory(void* inboxes, const Layout& layout) {
  static_assert(sizeof(Pe) <= 4096);
  std::vector<void*> memory;
  for (unsigned pe = 0; pe < layout.pes; ++pe) {
    memory.push_back(static_cast<std::byte*>(inboxes) + pe * layout.page_bytes);
  }
  return memory;
}

unsigned pe_of(std::size_t i, std::size_t count, unsigned pes) {
  return static_cast<unsigned>(i * pes / count);
}

void add_message_parameters(Description& description) {
  description.parameters.push_back(one_of(
      "messages", "sender",
      "where messages are: on the node of the sending PE, on that of the receiving PE, where "
      "they are first touched under the policy in force, as --strategy places an array, or each "
      "from malloc",
      {{"sender", "sender", "On the node of the PE that sends them."},
       {"receiver", "receiver", "On the node of the PE that receives them."},
       {"first-touch", "first touch", "Where they are first touched, under the policy in force."},
       {"strategy", "strategy", "As the strategy places an array."},
       {"malloc", "malloc", "Each message from malloc."}}));
  description.parameters.push_back(
      free_text("bind", "",
                "the CPU of each PE, as an expression of 'homenode run --threads', or none, which "
                "leaves PEs where they are started (default: all allowed CPUs in turn, node by "
                "node)"));
}

}  // namespace homenode::workloads::message
