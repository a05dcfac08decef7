#include "model/resources.h"

#include <algorithm>

namespace homenode::model {
namespace {

double seconds_of(const Lines& lines, const Bandwidth& bandwidth, unsigned line_bytes) {
  const double reads = lines.reads > 0 ? lines.reads / bandwidth.read : 0;
  const double writes = lines.writes > 0 ? lines.writes / bandwidth.write : 0;
  return (reads + writes) * line_bytes;
}

}  // namespace

std::size_t Resources::count() const {
  return links() + 2 * rates_.links.links.size();
}

std::size_t Resources::path(NodeId from, std::size_t memory) const {
  const auto at = std::find(rates_.cpu_nodes.begin(), rates_.cpu_nodes.end(), from);
  return memories() * (1 + static_cast<std::size_t>(at - rates_.cpu_nodes.begin())) + memory;
}

std::vector<Need> Resources::needs(NodeId from, std::size_t memory, const Lines& lines,
                                   unsigned line_bytes) const {
  const NodeId node = rates_.memory_nodes[memory];
  std::vector<Need> needs{
      {memory, seconds_of(lines, rates_.controller(node), line_bytes)},
      {path(from, memory), seconds_of(lines, rates_.path->at(from, node), line_bytes)}};
  for (const Step& step : rates_.links.ways.at(from, node)) {
    const double per_line = line_bytes / rates_.links.links[step.link].bytes_per_s;
    // What is read comes back the way that the request went.
    if (lines.reads > 0)
      needs.push_back({link({step.link, !step.forward}), lines.reads * per_line});
    if (lines.writes > 0) needs.push_back({link(step), lines.writes * per_line});
  }
  return needs;
}

Bottleneck Resources::bottleneck(std::size_t resource, double share) const {
  if (resource >= links()) {
    const Link& link = rates_.links.links[(resource - links()) / 2];
    const bool forward = (resource - links()) % 2 == 0;
    return {Bottleneck::Kind::link, forward ? link.first : link.second,
            forward ? link.second : link.first, share};
  }
  const NodeId memory = rates_.memory_nodes[resource % memories()];
  if (resource < memories()) return {Bottleneck::Kind::controller, memory, memory, share};
  const NodeId from = rates_.cpu_nodes[resource / memories() - 1];
  return {Bottleneck::Kind::path, from, memory, share};
}

}  // namespace homenode::model
