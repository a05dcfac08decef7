#include "model/demand.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace homenode::model {

std::vector<Lines> lines_by_node(const Object& object, const std::vector<NodeShares>& homes,
                                 std::size_t thread, std::size_t nodes) {
  std::vector<Lines> lines(nodes);
  const std::size_t blocks = object.blocks();
  for (std::size_t block = 0; block < blocks; ++block) {
    const Lines& uses = object.uses[thread * blocks + block];
    if (uses.total() == 0) continue;
    for (std::size_t node = 0; node < nodes; ++node) {
      const double share = homes[block][node];
      lines[node] += {uses.reads * share, uses.writes * share};
    }
  }
  return lines;
}

namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

double ThreadDemand::alone_s() const {
  return std::max(computing_s, overlapped_s) + sum(waiting_s) - overlapped_s;
}

void ThreadDemand::add(const Rates& rates, const Object& object, std::size_t memory,
                       const Lines& some) {
  lines[memory] += some;
  if (!rates.latency_s) return;
  const double latency_s = rates.latency_s->at(node, rates.memory_nodes[memory]);
  const double waits_s = some.reads * latency_s / object.lines_in_flight;
  waiting_s[memory] += waits_s;
  overlapped_s += waits_s * object.in_order;
}

std::vector<ThreadDemand> demands_of(const Rates& rates, const Program& program,
                                     const Layout& layout) {
  assert(layout.homes.size() == program.objects.size());
  assert(layout.node_of_thread.size() == program.threads());
  const std::size_t nodes = rates.memory_nodes.size();
  std::vector<ThreadDemand> demands;
  for (std::size_t thread = 0; thread < program.threads(); ++thread) {
    ThreadDemand demand{
        .node = layout.node_of_thread[thread],
        .computing_s = program.computing_s.empty() ? 0 : program.computing_s[thread],
        .lines = std::vector<Lines>(nodes),
        .waiting_s = std::vector<double>(nodes, 0)};
    double all = 0;
    double in_flight = 0;
    for (std::size_t index = 0; index < program.objects.size(); ++index) {
      const Object& object = program.objects[index];
      const auto lines = lines_by_node(object, layout.homes[index], thread, nodes);
      for (std::size_t node = 0; node < nodes; ++node) {
        demand.add(rates, object, node, lines[node]);
        all += lines[node].total();
        in_flight += lines[node].total() * object.lines_in_flight;
      }
    }
    if (all > 0) demand.lines_in_flight = in_flight / all;
    demands.push_back(std::move(demand));
  }
  return demands;
}

Traffic traffic_of(const Rates& rates, const std::vector<ThreadDemand>& demands) {
  Traffic traffic(rates.cpu_nodes, rates.memory_nodes);
  for (const ThreadDemand& demand : demands) {
    for (std::size_t node = 0; node < demand.lines.size(); ++node) {
      traffic.at(demand.node, rates.memory_nodes[node]) += demand.lines[node];
    }
  }
  return traffic;
}

}  // namespace homenode::model
