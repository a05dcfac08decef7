// The model in which threads wait in line at what they share: a sample of each thread's requests
// goes through a network of queues, which shows how many threads are at one node at a time.
#include <algorithm>
#include <cmath>
#include <optional>

#include "model/models.h"
#include "model/queues.h"
#include "model/resources.h"
#include "model/walk.h"

namespace homenode::model {
namespace {

/// Lines that a request stands for.
constexpr double grain = 2;
/// Requests of the thread that makes most, and of all threads.
constexpr double most_requests = 65536;
constexpr double most_of_all = 524288;
/// Of requests, where they are of walks that repeat.
constexpr double mostly = 0.9;

Lines sum(const std::vector<Lines>& lines) {
  Lines all;
  for (const Lines& some : lines) all += some;
  return all;
}

/// How the requests of all threads stand for the whole program.
struct Sample {
  const Rates& rates;
  const Program& program;
  const Layout& layout;
  const Resources& resources;
  double lines_of_request = 1;  ///< Of the program, for which one in the network stands.
};

/// An object as one thread uses it.
struct Part {
  const Object& object;
  Walk walk;
  double requests = 0;
  double owed = 0;  ///< Requests, as far as the others are.
};

/// `latencies`: how many a request takes.
RequestKind kind_of(const Sample& sample, NodeId from, std::size_t memory, const Lines& all,
                    double latencies) {
  const double scale = grain / asked(all);
  const Lines lines{all.reads * scale, all.writes * scale};
  const unsigned bytes = sample.program.line_bytes;
  RequestKind kind;
  if (all.reads > 0) {
    kind.passes = sample.resources.needs(from, memory, {lines.reads, 0}, bytes);
    if (lines.writes > 0)
      kind.sends = sample.resources.needs(from, memory, {0, lines.writes}, bytes);
  } else {
    kind.passes = sample.resources.needs(from, memory, lines, bytes);
  }
  const double latency_s = sample.rates.latency_s->at(from, sample.rates.memory_nodes[memory]);
  kind.latency_s = latency_s * latencies;
  return kind;
}

/// How many lines a thread has in flight, if it takes for each object's what these take alone: the
/// harmonic mean.
double lines_in_flight(const Program& program, std::size_t thread) {
  double lines = 0;
  double latencies = 0;
  for (const Object& object : program.objects) {
    for (std::size_t block = 0; block < object.blocks(); ++block) {
      const double used = asked(object.uses[thread * object.blocks() + block]);
      lines += used;
      latencies += used / object.lines_in_flight;
    }
  }
  return latencies > 0 ? lines / latencies : 1;
}

/// A thread in the network. `repeating` counts its requests that are of walks that repeat.
Customer customer_of(const Sample& sample, std::size_t thread, const ThreadDemand& demand,
                     double& repeating) {
  Customer customer;
  const double in_flight = lines_in_flight(sample.program, thread);
  const double window = std::max(1.0, std::round(in_flight / grain));
  customer.in_flight = static_cast<std::size_t>(window);
  std::vector<Part> parts;
  double requests = 0;
  const std::size_t memories = sample.rates.memory_nodes.size();
  for (std::size_t index = 0; index < sample.program.objects.size(); ++index) {
    const Object& object = sample.program.objects[index];
    const auto& homes = sample.layout.homes[index];
    const Lines all = sum(lines_by_node(object, homes, thread, memories));
    const double wanted = asked(all) / sample.lines_of_request;
    if (wanted < 0.5) continue;
    for (std::size_t memory = 0; memory < memories; ++memory) {
      customer.kinds.push_back(
          kind_of(sample, demand.node, memory, all, window * grain / in_flight));
    }
    const auto whole = static_cast<std::size_t>(std::round(wanted));
    parts.push_back({object, Walk(object, homes, thread, whole, grain), wanted, 0});
    requests += wanted;
    if (parts.back().walk.repeats()) repeating += wanted;
  }
  for (double left = std::round(requests); left > 0; --left) {
    for (Part& part : parts) part.owed += part.requests / requests;
    const auto next = std::max_element(
        parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.owed < b.owed; });
    next->owed -= 1;
    customer.requests.push_back(static_cast<std::size_t>(next - parts.begin()) * memories +
                                next->walk.next());
  }
  if (!customer.requests.empty()) {
    // The network's time is the program's, but for what each request stands for.
    customer.computing_s = demand.computing_s / static_cast<double>(customer.requests.size()) *
                           grain / sample.lines_of_request;
  }
  return customer;
}

/// What a thread takes for `scale` times the requests that were served. Threads that begin together
/// drift apart, and stay apart where walks repeat and nobody waits for the others.
double whole_s(const Served& served, double scale, bool repeats) {
  const double again_s = repeats ? 2 * (served.seconds - served.half_s) : served.seconds;
  return served.seconds + (scale - 1) * again_s;
}

double most_lines(const std::vector<ThreadDemand>& demands, double& all) {
  double most = 0;
  for (const ThreadDemand& demand : demands) {
    double lines = 0;
    for (const Lines& some : demand.lines) lines += asked(some);
    most = std::max(most, lines);
    all += lines;
  }
  return most;
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
  double all = 0;
  const double most = most_lines(demands, all);
  const double sampled = std::max(most / most_requests, all / most_of_all);
  const Sample sample{rates, program, layout, resources, std::max(grain, sampled)};
  std::vector<Customer> customers;
  double repeating = 0;
  for (std::size_t thread = 0; thread < demands.size(); ++thread) {
    customers.push_back(customer_of(sample, thread, demands[thread], repeating));
  }
  const auto served = serve(customers, resources.count());
  Prediction prediction = blank("queues", rates, demands);
  prediction.absolute = !program.computing_s.empty();
  const double scale = sample.lines_of_request / grain;
  const bool repeats = program.independent && repeating > mostly * all / sample.lines_of_request;
  for (std::size_t thread = 0; thread < demands.size(); ++thread) {
    const bool idle = customers[thread].requests.empty();
    prediction.thread_times[thread] =
        idle ? demands[thread].computing_s : whole_s(served[thread], scale, repeats);
  }
  const std::size_t last = slowest(prediction);
  prediction.time = prediction.thread_times[last];
  const double computing_s =
      customers[last].computing_s * static_cast<double>(customers[last].requests.size());
  const auto full = saturated(customers, resources, served[last].seconds);
  prediction.bottleneck =
      full ? *full : bottleneck_of(rates, resources, demands[last], served[last], computing_s);
  return prediction;
}

}  // namespace homenode::model
