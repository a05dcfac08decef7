#include "model/customers.h"

#include <algorithm>
#include <cmath>

#include "model/walk.h"

namespace homenode::model {
namespace {

/// Requests of the thread that makes most, and of all threads.
constexpr double most_requests = 65536;
constexpr double most_of_all = 524288;
/// Of a thread's lines, if they are to tell how it goes about.
constexpr double nearly_all = 0.9;

Lines sum(const std::vector<Lines>& lines) {
  Lines all;
  for (const Lines& some : lines) all += some;
  return all;
}

/// Of the program, so that no thread makes more than its share of requests.
double lines_of_request(const std::vector<ThreadDemand>& demands) {
  double most = 0;
  double all = 0;
  for (const ThreadDemand& demand : demands) {
    double lines = 0;
    for (const Lines& some : demand.lines) lines += asked(some);
    most = std::max(most, lines);
    all += lines;
  }
  return std::max({lines_in_network, most / most_requests, all / most_of_all});
}

/// An object as one customer uses it.
struct Part {
  const Object& object;
  Walk walk;
  double requests = 0;
  double owed = 0;  ///< Requests, as far as the others are.
};

/// How a thread asks for lines.
struct Manner {
  double in_flight = 0;  ///< On average.
  double walk = 0;       ///< Lines until a walk ends, or 0: it has no end.
};

/// Of several objects, in flight is the harmonic mean: each takes as long as it does alone. One
/// that is nearly all that is used tells the rest.
Manner manner_of(const Program& program, std::size_t thread) {
  std::vector<double> used;
  double lines = 0;
  double latencies = 0;
  for (const Object& object : program.objects) {
    used.push_back(0);
    for (std::size_t block = 0; block < object.blocks(); ++block) {
      used.back() += asked(object.uses[thread * object.blocks() + block]);
    }
    lines += used.back();
    latencies += used.back() / object.lines_in_flight;
  }
  Manner manner;
  manner.in_flight = latencies > 0 ? lines / latencies : 1;
  for (std::size_t index = 0; index < used.size(); ++index) {
    if (lines == 0 || used[index] < nearly_all * lines) continue;
    manner.walk = program.objects[index].walk_lines;
  }
  return manner;
}

/// How many lines of a walk are asked for at first, and then one for each that is used, if so many
/// are in flight on average until its last one is used: w of them are, until w are left of all n
/// of the walk, and then w / 2 on average, so that the mean is w (1 - w / 2n).
double window_of(double mean, double walk) {
  if (walk == 0) return mean;
  return 2 * mean < walk ? walk * (1 - std::sqrt(1 - 2 * mean / walk)) : walk;
}

/// `latencies`: how many a request takes.
RequestKind kind_of(const Sample& sample, NodeId from, std::size_t memory, const Lines& all,
                    double latencies) {
  const double scale = lines_in_network / asked(all);
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

/// Where walks of about so many requests end, in order: where the thread goes on to another block,
/// as far as that leaves none much shorter, and in what it uses of one block at equal distances.
std::vector<std::size_t> ends_of(const std::vector<std::size_t>& moves, std::size_t requests,
                                 double walk) {
  constexpr double much_shorter = 0.75;
  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  const auto end_at = [&](std::size_t end) {
    const auto length = static_cast<double>(end - begin);
    const double parts = std::max(1.0, std::round(length / walk));
    for (double part = 1; part <= parts; ++part) {
      ends.push_back(begin + static_cast<std::size_t>(std::round(part / parts * length)));
    }
    begin = end;
  };
  for (const std::size_t move : moves) {
    if (static_cast<double>(move - begin) >= much_shorter * walk) end_at(move);
  }
  if (begin < requests) end_at(requests);
  return ends;
}

/// Requests for the objects in turn, each as often as it is used.
void ask_in_turn(std::vector<Part>& parts, double requests, std::size_t memories, double walk,
                 Customer& customer) {
  std::vector<std::size_t> moves;
  for (double left = std::round(requests); left > 0; --left) {
    for (Part& part : parts) part.owed += part.requests / requests;
    const auto next = std::max_element(
        parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.owed < b.owed; });
    next->owed -= 1;
    const Walk::Step step = next->walk.next();
    if (step.moved) moves.push_back(customer.requests.size());
    const auto part = static_cast<std::size_t>(next - parts.begin());
    customer.requests.push_back(part * memories + step.node);
  }
  if (walk > 0) customer.ends = ends_of(moves, customer.requests.size(), walk);
}

/// Adds to the requests that all customers make.
Customer customer_of(const Sample& sample, std::size_t thread, const ThreadDemand& demand,
                     Customers& customers) {
  Customer customer;
  const Manner manner = manner_of(sample.program, thread);
  const double in_flight = window_of(manner.in_flight, manner.walk);
  const double window = std::max(1.0, std::round(in_flight / lines_in_network));
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
          kind_of(sample, demand.node, memory, all, window * lines_in_network / in_flight));
    }
    const auto whole = static_cast<std::size_t>(std::round(wanted));
    parts.push_back({object, Walk(object, homes, thread, whole, lines_in_network), wanted, 0});
    requests += wanted;
    if (parts.back().walk.repeats()) customers.repeating += wanted;
  }
  customers.requests += requests;
  ask_in_turn(parts, requests, memories, manner.walk / lines_in_network, customer);
  if (!customer.requests.empty()) {
    // The network's time is the program's, but for what each request stands for.
    customer.computing_s = demand.computing_s / static_cast<double>(customer.requests.size()) *
                           lines_in_network / sample.lines_of_request;
  }
  return customer;
}

}  // namespace

Sample::Sample(const Rates& given_rates, const Program& given_program, const Layout& given_layout,
               const Resources& given_resources, const std::vector<ThreadDemand>& demands)
    : rates(given_rates),
      program(given_program),
      layout(given_layout),
      resources(given_resources),
      lines_of_request(model::lines_of_request(demands)) {}

Customers customers_of(const Sample& sample, const std::vector<ThreadDemand>& demands) {
  Customers customers;
  for (std::size_t thread = 0; thread < demands.size(); ++thread) {
    customers.all.push_back(customer_of(sample, thread, demands[thread], customers));
  }
  return customers;
}

}  // namespace homenode::model
