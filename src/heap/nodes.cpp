#include "heap/nodes.h"

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

}  // namespace homenode::heap
