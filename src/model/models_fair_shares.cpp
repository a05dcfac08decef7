// Controllers and paths as resources that threads share fairly: every memory is a resource of what
// it gives at most, and every pair of nodes one of its own. A full one is shared in proportion to
// the lines that threads have in flight.
#include <algorithm>

#include "model/fair_shares.h"
#include "model/models.h"
#include "model/steps.h"

namespace homenode::model {
namespace {

/// Whether a thread is held back by the latency of its lines.
enum class Latency { ignored, waited_for };

/// Controllers first, by memory node; then paths, by CPU node and memory node; then links, each
/// way by itself.
class Resources {
 public:
  explicit Resources(const Rates& rates) : rates_(rates) {}

  [[nodiscard]] std::size_t count() const { return links() + 2 * rates_.links.links.size(); }

  [[nodiscard]] std::size_t path(NodeId from, std::size_t memory) const {
    const auto at = std::find(rates_.cpu_nodes.begin(), rates_.cpu_nodes.end(), from);
    return memories() * (1 + static_cast<std::size_t>(at - rates_.cpu_nodes.begin())) + memory;
  }

  [[nodiscard]] std::size_t link(const Step& step) const {
    return links() + 2 * step.link + (step.forward ? 0 : 1);
  }

  [[nodiscard]] Bottleneck bottleneck(std::size_t resource, double share) const {
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

 private:
  [[nodiscard]] std::size_t memories() const { return rates_.memory_nodes.size(); }
  /// Where the links begin.
  [[nodiscard]] std::size_t links() const { return memories() * (1 + rates_.cpu_nodes.size()); }

  const Rates& rates_;
};

double seconds_of(const Lines& lines, const Bandwidth& bandwidth, unsigned line_bytes) {
  const double reads = lines.reads > 0 ? lines.reads / bandwidth.read : 0;
  const double writes = lines.writes > 0 ? lines.writes / bandwidth.write : 0;
  return (reads + writes) * line_bytes;
}

Flow flow_of(const Rates& rates, const Resources& resources, const ThreadDemand& demand,
             unsigned line_bytes) {
  Flow flow;
  double lines = 0;
  for (std::size_t memory = 0; memory < demand.lines.size(); ++memory) {
    const Lines& of_node = demand.lines[memory];
    if (of_node.total() == 0) continue;
    lines += of_node.total();
    const NodeId node = rates.memory_nodes[memory];
    flow.needs.push_back({memory, seconds_of(of_node, rates.controller(node), line_bytes)});
    flow.needs.push_back({resources.path(demand.node, memory),
                          seconds_of(of_node, rates.path->at(demand.node, node), line_bytes)});
    for (const Step& step : rates.links.ways.at(demand.node, node)) {
      const double per_line = line_bytes / rates.links.links[step.link].bytes_per_s;
      // What is read comes back the way that the request went.
      const Step back{step.link, !step.forward};
      flow.needs.push_back({resources.link(back), of_node.reads * per_line});
      flow.needs.push_back({resources.link(step), of_node.writes * per_line});
    }
  }
  if (lines > 0) flow.weight = demand.lines_in_flight / lines;
  return flow;
}

Bottleneck bottleneck_of(const Rates& rates, const Resources& resources, const ThreadDemand& demand,
                         const Completion& completion) {
  const auto most = std::max_element(completion.held_up_s.begin(), completion.held_up_s.end());
  const auto resource = static_cast<std::size_t>(most - completion.held_up_s.begin());
  if (completion.seconds == 0 || resource == resources.count()) {
    return own_bottleneck(rates, demand);
  }
  return resources.bottleneck(resource, *most / completion.seconds);
}

Result<Prediction> by_fair_shares(std::string_view model, const Rates& rates,
                                  const Program& program, const Layout& layout, Latency latency) {
  if (!rates.path) {
    return not_supported("no bandwidth of this machine is known",
                         "measure it with 'homenode measure'");
  }
  const auto demands = demands_of(rates, program, layout);
  const Resources resources(rates);
  std::vector<Course> courses;
  for (const std::vector<ThreadDemand>& steps : steps_of(rates, program, layout)) {
    Course& course = courses.emplace_back();
    for (const ThreadDemand& step : steps) {
      course.push_back(flow_of(rates, resources, step, program.line_bytes));
      course.back().least_s = latency == Latency::waited_for ? step.alone_s() : step.computing_s;
    }
  }
  const auto completions = complete(courses, resources.count());
  Prediction prediction = blank(model, rates, demands);
  prediction.absolute = !program.computing_s.empty();
  for (std::size_t thread = 0; thread < courses.size(); ++thread) {
    prediction.thread_times[thread] = completions[thread].seconds;
  }
  const std::size_t last = slowest(prediction);
  prediction.time = prediction.thread_times[last];
  prediction.bottleneck = bottleneck_of(rates, resources, demands[last], completions[last]);
  return prediction;
}

}  // namespace

Result<Prediction> by_bandwidth(const Rates& rates, const Program& program, const Layout& layout) {
  return by_fair_shares("bandwidth", rates, program, layout, Latency::ignored);
}

Result<Prediction> by_both(const Rates& rates, const Program& program, const Layout& layout) {
  if (!rates.latency_s) {
    return not_supported("no latency of this machine is known",
                         "measure it with 'homenode measure'");
  }
  return by_fair_shares("both", rates, program, layout, Latency::waited_for);
}

}  // namespace homenode::model
