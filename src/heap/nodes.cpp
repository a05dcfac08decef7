#include "heap/nodes.h"

#include <cstdlib>
#include <cstring>

#include "heap/text.h"

namespace homenode::heap {
namespace {

constexpr std::size_t file_bytes = 16 << 10;

long read_node_file(unsigned node, const char* file, char* text) {
  Text path;
  path.add("/sys/devices/system/node/node").add(node).add("/").add(file);
  return system::read_file(path.text(), text, file_bytes);
}

system::NodeMask read_nodes(const char* path) {
  char text[512];
  const long size = system::read_file(path, text, sizeof text);
  system::NodeMask nodes{};
  read_list(text, size, [&](unsigned node) { nodes.add(node); });
  return nodes;
}

system::NodeMask online_nodes() {
  return read_nodes("/sys/devices/system/node/online");
}

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

system::NodeMask nodes_with_memory() {
  return read_nodes("/sys/devices/system/node/has_memory");
}

unsigned node_of_cpu(unsigned cpu) {
  unsigned here = 0;
  unsigned node = 0;
  if (system::get_cpu(here, node) == 0 && here == cpu) return node;
  const system::NodeMask online = online_nodes();
  char text[file_bytes];
  for (unsigned n = online.next(0); n < system::max_nodes; n = online.next(n + 1)) {
    const long size = read_node_file(n, "cpulist", text);
    bool found = false;
    read_list(text, size, [&](unsigned id) { found = found || id == cpu; });
    if (found) return n;
  }
  return 0;
}

bool is_present(unsigned cpu) {
  char text[512];
  const long size = system::read_file("/sys/devices/system/cpu/present", text, sizeof text);
  bool found = false;
  read_list(text, size, [&](unsigned id) { found = found || id == cpu; });
  return found;
}

unsigned nearest_node(unsigned node, const system::NodeMask& with_memory) {
  if (with_memory.contains(node)) return node;
  const system::NodeMask online = online_nodes();
  char text[file_bytes];
  const long size = read_node_file(node, "distance", text);
  unsigned best = with_memory.next(0);
  unsigned best_distance = ~0U;
  unsigned column = online.next(0);
  read_list(text, size, [&](unsigned distance) {  // One number for each node, in order.
    if (with_memory.contains(column) && distance < best_distance) {
      best = column;
      best_distance = distance;
    }
    column = online.next(column + 1);
  });
  return best < system::max_nodes ? best : 0;
}

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
