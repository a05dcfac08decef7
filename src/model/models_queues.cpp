// The model in which threads wait in line at what they share: a sample of each thread's requests
// goes through a network of queues, which shows how many threads are at one node at a time.
#include <algorithm>
#include <optional>

#include "model/customers.h"
#include "model/models.h"
#include "model/resources.h"

namespace homenode::model {
namespace {

/// Of requests, where they are of walks that repeat.
constexpr double mostly = 0.9;

/// What a thread takes for `scale` times the requests that were served. Threads that begin together
/// drift apart, and stay apart where walks repeat and nobody waits for the others.
double whole_s(const Served& served, double scale, bool repeats) {
  const double again_s = repeats ? 2 * (served.seconds - served.half_s) : served.seconds;
  return served.seconds + (scale - 1) * again_s;
}

/// For how long each resource serves requests, and what goes with them.
std::vector<double> in_use_s(const std::vector<Customer>& customers, std::size_t resources) {
  std::vector<double> used(resources, 0);
  for (const Customer& customer : customers) {
    for (const std::size_t kind : customer.requests) {
      for (const Need& need : customer.kinds[kind].passes) used[need.resource] += need.seconds;
      for (const Need& need : customer.kinds[kind].sends) used[need.resource] += need.seconds;
    }
  }
  return used;
}

/// What is in use most of the time, if anything is: it can serve nothing faster (the utilisation
/// law; Lazowska et al., Quantitative System Performance, section 3.2). Of several that are about
/// as full, a memory before a path, and a path before a link.
std::optional<Bottleneck> saturated(const std::vector<Customer>& customers,
                                    const Resources& resources, double seconds) {
  constexpr double most_of_the_time = 0.75;
  constexpr double about = 0.95;
  const std::vector<double> used = in_use_s(customers, resources.count());
  const double most = *std::max_element(used.begin(), used.end());
  if (most < most_of_the_time * seconds || seconds == 0) return {};
  const auto first =
      std::find_if(used.begin(), used.end(), [&](double one) { return one >= about * most; });
  return resources.bottleneck(static_cast<std::size_t>(first - used.begin()), *first / seconds);
}

/// What holds up this thread where nothing is full for most of the time.
Bottleneck bottleneck_of(const Rates& rates, const Resources& resources, const ThreadDemand& demand,
                         const Served& served, double computing_s) {
  const auto& stood = served.stood_still_s;
  const auto most = std::max_element(stood.begin(), stood.end());
  if (served.seconds == 0 || *most < computing_s) return own_bottleneck(rates, demand);
  const auto resource = static_cast<std::size_t>(most - stood.begin());
  if (resource == resources.count()) return own_bottleneck(rates, demand);
  return resources.bottleneck(resource, *most / served.seconds);
}

}  // namespace

Result<Prediction> by_queues(const Rates& rates, const Program& program, const Layout& layout) {
  if (!rates.path || !rates.latency_s) {
    return not_supported("no bandwidth or no latency of this machine is known",
                         "measure both with 'homenode measure'");
  }
  const auto demands = demands_of(rates, program, layout);
  const Resources resources(rates);
  const Sample sample(rates, program, layout, resources, demands);
  const Customers customers = customers_of(sample, demands);
  const auto served = serve(customers.all, resources.count());
  Prediction prediction = blank("queues", rates, demands);
  prediction.absolute = !program.computing_s.empty();
  const double scale = sample.lines_of_request / lines_in_network;
  const bool repeats = program.independent && customers.repeating > mostly * customers.requests;
  for (std::size_t thread = 0; thread < demands.size(); ++thread) {
    const bool idle = customers.all[thread].requests.empty();
    prediction.thread_times[thread] =
        idle ? demands[thread].computing_s : whole_s(served[thread], scale, repeats);
  }
  const std::size_t last = slowest(prediction);
  prediction.time = prediction.thread_times[last];
  const Customer& slow = customers.all[last];
  const double computing_s = slow.computing_s * static_cast<double>(slow.requests.size());
  const auto full = saturated(customers.all, resources, served[last].seconds);
  prediction.bottleneck =
      full ? *full : bottleneck_of(rates, resources, demands[last], served[last], computing_s);
  return prediction;
}

}  // namespace homenode::model
