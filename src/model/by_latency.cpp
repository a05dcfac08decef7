#include "model/table.h"

namespace homenode::model {

Result<Prediction> by_latency(const Rates& rates, const Program& program, const Layout& layout) {
  if (!rates.latency_s) {
    return not_supported("no latency of this machine is known",
                         "measure it with 'homenode measure --latency'");
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
