// Controllers, paths and links as resources that threads share fairly: a full one is shared in
// proportion to the lines that threads have in flight. Each thread is taken to use all of its
// memory at any time.
#include <algorithm>

#include "model/fair_shares.h"
#include "model/models.h"
#include "model/resources.h"

namespace homenode::model {
namespace {

/// Whether a thread is held back by the latency of its lines.
enum class Latency { ignored, waited_for };

Flow flow_of(const Resources& resources, const ThreadDemand& demand, unsigned line_bytes) {
  Flow flow;
  double lines = 0;
  for (std::size_t memory = 0; memory < demand.lines.size(); ++memory) {
    const Lines& of_node = demand.lines[memory];
    if (of_node.total() == 0) continue;
    lines += of_node.total();
    const auto needs = resources.needs(demand.node, memory, of_node, line_bytes);
    flow.needs.insert(flow.needs.end(), needs.begin(), needs.end());
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
  std::vector<Flow> flows;
  for (const ThreadDemand& demand : demands) {
    flows.push_back(flow_of(resources, demand, program.line_bytes));
    flows.back().least_s = latency == Latency::waited_for ? demand.alone_s() : demand.computing_s;
  }
  const auto completions = complete(flows, resources.count());
  Prediction prediction = blank(model, rates, demands);
  prediction.absolute = !program.computing_s.empty();
  for (std::size_t thread = 0; thread < flows.size(); ++thread) {
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
