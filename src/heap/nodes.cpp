#include "heap/nodes.h"

namespace homenode::heap {
namespace {

constexpr std::size_t file_bytes = 16 << 10;

/// "/sys/devices/system/node/nodeN/" and a file's name.
struct NodePath {
  char text[80];

  NodePath(unsigned node, const char* file) {
    char* end = append(text, "/sys/devices/system/node/node");
    char digits[10];
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + node % 10);
      node /= 10;
    } while (node > 0);
    while (count > 0) *end++ = digits[--count];
    *end++ = '/';
    end = append(end, file);
    *end = '\0';
  }

 private:
  static char* append(char* to, const char* from) {
    while (*from != '\0') *to++ = *from++;
    return to;
  }
};

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
    const long size = system::read_file(NodePath(n, "cpulist").text, text, sizeof text);
    bool found = false;
    read_list(text, size, [&](unsigned id) { found = found || id == cpu; });
    if (found) return n;
  }
  return 0;
}

unsigned nearest_node(unsigned node, const system::NodeMask& with_memory) {
  if (with_memory.contains(node)) return node;
  const system::NodeMask online = online_nodes();
  char text[file_bytes];
  const long size = system::read_file(NodePath(node, "distance").text, text, sizeof text);
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
