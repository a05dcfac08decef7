// The models in which no thread is in the way of another.
#include "model/models.h"

namespace homenode::model {

Result<Prediction> by_distance(const Rates& rates, const Program& program, const Layout& layout) {
  const auto demands = demands_of(rates, program, layout);
  Prediction prediction = blank("distance", rates, demands);
  for (std::size_t thread = 0; thread < demands.size(); ++thread) {
    const ThreadDemand& demand = demands[thread];
    for (std::size_t node = 0; node < demand.lines.size(); ++node) {
      const double distance = rates.distance.at(demand.node, rates.memory_nodes[node]);
      prediction.thread_times[thread] += demand.lines[node].total() * distance / 10;
    }
  }
  const std::size_t last = slowest(prediction);
  prediction.time = prediction.thread_times[last];
  if (prediction.time == 0) return prediction;
  const ThreadDemand& demand = demands[last];
  prediction.bottleneck = {Bottleneck::Kind::latency, demand.node, demand.node, 0};
  for (std::size_t node = 0; node < demand.lines.size(); ++node) {
    const NodeId memory = rates.memory_nodes[node];
    const double share =
        demand.lines[node].total() * rates.distance.at(demand.node, memory) / 10 / prediction.time;
    if (share > prediction.bottleneck.share) {
      prediction.bottleneck.memory = memory;
      prediction.bottleneck.share = share;
    }
  }
  return prediction;
}

Result<Prediction> by_latency(const Rates& rates, const Program& program, const Layout& layout) {
  if (!rates.latency_s) {
    return not_supported("no latency of this machine is known",
                         "measure it with 'homenode measure'");
  }
  const auto demands = demands_of(rates, program, layout);
  Prediction prediction = blank("latency", rates, demands);
  prediction.absolute = !program.computing_s.empty();
  for (std::size_t thread = 0; thread < demands.size(); ++thread) {
    prediction.thread_times[thread] = demands[thread].alone_s();
  }
  const std::size_t last = slowest(prediction);
  prediction.time = prediction.thread_times[last];
  prediction.bottleneck = own_bottleneck(rates, demands[last]);
  return prediction;
}

}  // namespace homenode::model
