#include "model/prediction.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/models.h"

namespace homenode::model {
namespace {

std::string names() {
  std::string list;
  for (const Model& model : models()) {
    list += list.empty() ? "" : ", ";
    list += model.name;
  }
  return list;
}

}  // namespace

const std::vector<Model>& models() {
  static const std::vector<Model> all = {
      {"distance", "lines by the firmware's distances: compares placements, gives no seconds",
       by_distance},
      {"latency", "computing, and waiting for each line's latency", by_latency},
      {"bandwidth", "fair shares of each node's memory and of the paths to it", by_bandwidth},
      {"both", "fair shares, and no thread faster than its latencies allow", by_both},
      {"queues", "each thread's lines in a network of queues, in the order of its walks",
       by_queues},
  };
  return all;
}

const Model* find_model(std::string_view name) {
  const auto at = std::find_if(models().begin(), models().end(),
                               [&](const Model& model) { return model.name == name; });
  return at == models().end() ? nullptr : &*at;
}

std::string to_string(const Bottleneck& bottleneck) {
  const unsigned from = bottleneck.from.value();
  const unsigned memory = bottleneck.memory.value();
  switch (bottleneck.kind) {
    case Bottleneck::Kind::computing:
      return "computing";
    case Bottleneck::Kind::latency:
      return fmt::format("latency from node {} to the memory of node {}", from, memory);
    case Bottleneck::Kind::controller:
      return fmt::format("bandwidth of the memory of node {}", memory);
    case Bottleneck::Kind::link:
      return fmt::format("bandwidth of the link from node {} to node {}", from, memory);
    case Bottleneck::Kind::path:
      break;
  }
  return fmt::format("bandwidth from node {} to the memory of node {}", from, memory);
}

Result<Prediction> predict(const machine::Machine& machine, const Program& program,
                           const placement::Placement& placement,
                           std::optional<std::string_view> model) {
  const auto known = rates_of(machine);
  if (!known) return known.as_unexpected();
  const Rates& rates = *known;
  const auto layout = lay_out(machine, rates, program, placement);
  if (!layout) return layout.as_unexpected();
  if (model) {
    const Model* wanted = find_model(*model);
    if (wanted != nullptr) return wanted->predict(rates, program, *layout);
    return bad_usage(fmt::format("there is no model '{}'", *model), "choose one of " + names());
  }
  for (auto best = models().rbegin(); best + 1 != models().rend(); ++best) {
    auto prediction = best->predict(rates, program, *layout);
    if (prediction) return prediction;
  }
  return by_distance(rates, program, *layout);
}

}  // namespace homenode::model
