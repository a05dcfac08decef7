#include "heap/named_nodes.h"

#include <cstdlib>
#include <cstring>

#include "heap/nodes.h"

namespace homenode::heap {
namespace {

/// "0-2,5": numbers and ranges, in which the first is not above the last.
bool is_list(const char* text) {
  for (;;) {
    const std::size_t digits = std::strspn(text, "0123456789");
    if (digits == 0 || digits > 4) return false;
    const char* const rest = text + digits;
    if (*rest == '-') {
      const std::size_t more = std::strspn(rest + 1, "0123456789");
      if (more == 0 || more > 4 || std::atoi(rest + 1) < std::atoi(text)) return false;
      text = rest + 1 + more;
    } else {
      text = rest;
    }
    if (*text == '\0') return true;
    if (*text++ != ',') return false;
  }
}

/// Nodes of a list that the process may have memory of. False when the text makes no sense.
bool read_allowed(const char* text, const system::NodeMask& allowed, system::NodeMask& nodes) {
  if (!is_list(text)) return false;
  bool sense = true;
  read_list(text, static_cast<long>(std::strlen(text)), [&](unsigned node) {
    sense = sense && allowed.contains(node);
    nodes.add(node);
  });
  return sense;
}

/// "cpu:5": the node of a CPU that there is.
bool read_cpu(const char* text, const system::NodeMask& allowed, system::NodeMask& nodes) {
  const std::size_t digits = std::strspn(text, "0123456789");
  if (digits == 0 || digits > 4 || text[digits] != '\0') return false;
  const auto cpu = static_cast<unsigned>(std::atoi(text));
  if (!is_present(cpu)) return false;
  nodes.add(nearest_node(node_of_cpu(cpu), allowed));
  return true;
}

}  // namespace

bool choose_nodes(const char* text, Policy policy, system::NodeMask& nodes) {
  system::NodeMask allowed{};
  if (system::allowed_nodes(allowed) != 0) allowed.add(0);  // A kernel without NUMA has node 0.
  if (text != nullptr && std::strncmp(text, "cpu:", 4) == 0) {
    return read_cpu(text + 4, allowed, nodes);
  }
  if (text != nullptr) return read_allowed(text, allowed, nodes);
  if (!is_per_node(policy)) {
    nodes = allowed;
    return true;
  }
  unsigned cpu = 0;
  unsigned node = 0;
  (void)system::get_cpu(cpu, node);
  nodes.add(nearest_node(node, allowed));
  return true;
}

}  // namespace homenode::heap
