#include "model/models.h"

#include <algorithm>
#include <cassert>

namespace homenode::model {

Prediction blank(std::string_view model, const Rates& rates,
                 const std::vector<ThreadDemand>& demands) {
  Prediction prediction;
  prediction.model = model;
  prediction.thread_times.assign(demands.size(), 0);
  prediction.traffic = traffic_of(rates, demands);
  prediction.assumptions = rates.assumptions;
  return prediction;
}

std::size_t slowest(const Prediction& prediction) {
  assert(!prediction.thread_times.empty());
  const auto& times = prediction.thread_times;
  return static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
}

Bottleneck own_bottleneck(const Rates& rates, const ThreadDemand& demand) {
  const auto most = std::max_element(demand.waiting_s.begin(), demand.waiting_s.end());
  const double all = demand.alone_s();
  if (most == demand.waiting_s.end() || *most <= demand.computing_s) {
    return {Bottleneck::Kind::computing, demand.node, demand.node,
            all > 0 ? demand.computing_s / all : 1};
  }
  const auto node = static_cast<std::size_t>(most - demand.waiting_s.begin());
  return {Bottleneck::Kind::latency, demand.node, rates.memory_nodes[node], *most / all};
}

}  // namespace homenode::model
