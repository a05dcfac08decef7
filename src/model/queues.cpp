#include "model/queues.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace homenode::model {
namespace {

constexpr double not_yet = std::numeric_limits<double>::infinity();

/// A request reaches the next of what it passes, or its customer behind the last.
struct Event {
  double at = 0;
  std::size_t customer = 0;
  std::size_t request = 0;
  std::size_t stage = 0;
  bool sent = false;  ///< It is what goes with the request, which nobody waits for.
  friend bool operator>(const Event& one, const Event& other) { return one.at > other.at; }
};

/// Where a request was longest, and how long it has waited in all.
struct Wait {
  double in_all_s = 0;
  double longest_s = 0;
  std::size_t resource = 0;
};

class Network {
 public:
  Network(const std::vector<Customer>& customers, std::size_t resources)
      : customers_(customers), free_(resources, 0) {
    for (std::size_t number = 0; number < customers.size(); ++number) {
      const Customer& customer = customers[number];
      State state;
      state.served.stood_still_s.assign(resources + 1, 0);
      state.came.assign(customer.requests.size(), not_yet);
      state.waits.resize(customer.requests.size());
      states_.push_back(std::move(state));
      ask(number, 0, 0);
    }
  }

  std::vector<Served> run() {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      step(event);
    }
    std::vector<Served> served;
    for (State& state : states_) served.push_back(std::move(state.served));
    return served;
  }

 private:
  struct State {
    Served served;
    std::size_t used = 0;  ///< Requests.
    std::size_t asked = 0;
    std::size_t passed = 0;    ///< Ends of walks.
    std::vector<double> came;  ///< When each did.
    std::vector<Wait> waits;
  };

  void step(const Event& event) {
    const Customer& customer = customers_[event.customer];
    const RequestKind& kind = customer.kinds[customer.requests[event.request]];
    const std::vector<Need>& way = event.sent ? kind.sends : kind.passes;
    if (event.stage < way.size()) {
      const Need& need = way[event.stage];
      const double start = std::max(event.at, free_[need.resource]);
      free_[need.resource] = start + need.seconds;
      if (!event.sent) note(event, need.resource, start - event.at);
      const bool last = event.stage + 1 == way.size();
      if (event.sent && last) return;
      events_.push({start + (last ? kind.latency_s : 0), event.customer, event.request,
                    event.stage + 1, event.sent});
    } else if (!event.sent) {
      states_[event.customer].came[event.request] = event.at;
      use(event.customer);
    }
  }

  void note(const Event& event, std::size_t resource, double waited_s) {
    Wait& wait = states_[event.customer].waits[event.request];
    wait.in_all_s += waited_s;
    if (waited_s <= wait.longest_s) return;
    wait.longest_s = waited_s;
    wait.resource = resource;
  }

  /// Uses what has come, in order, and asks for as many more.
  void use(std::size_t number) {
    const Customer& customer = customers_[number];
    State& state = states_[number];
    double& now = state.served.seconds;
    for (; state.used < state.came.size() && state.came[state.used] < not_yet; ++state.used) {
      const RequestKind& kind = customer.kinds[customer.requests[state.used]];
      const double came = state.came[state.used];
      const Wait& wait = state.waits[state.used];
      const bool queued = wait.in_all_s > kind.latency_s;
      const std::size_t by = queued ? wait.resource : free_.size();
      state.served.stood_still_s[by] += std::max(0.0, came - now);
      now = std::max(now, came) + customer.computing_s;
      if (2 * (state.used + 1) <= state.came.size()) state.served.half_s = now;
      if (!kind.sends.empty()) events_.push({now, number, state.used, 0, true});
      ask(number, state.used + 1, now);
    }
  }

  /// Asks for what may be in flight once so many are used.
  void ask(std::size_t number, std::size_t used, double now) {
    const Customer& customer = customers_[number];
    State& state = states_[number];
    std::size_t end = std::min(used + customer.in_flight, customer.requests.size());
    while (state.passed < customer.ends.size() && customer.ends[state.passed] <= used) {
      ++state.passed;
    }
    if (state.passed < customer.ends.size()) end = std::min(end, customer.ends[state.passed]);
    for (; state.asked < end; ++state.asked) events_.push({now, number, state.asked, 0, false});
  }

  const std::vector<Customer>& customers_;
  std::vector<double> free_;  ///< When each resource is done with those that came.
  std::vector<State> states_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

std::vector<Served> serve(const std::vector<Customer>& customers, std::size_t resources) {
  return Network(customers, resources).run();
}

}  // namespace homenode::model
