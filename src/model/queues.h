// How long customers take that ask for one thing after another, and wait in line at everything
// that they share: a network of queues, each first come, first served. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "model/fair_shares.h"

namespace homenode::model {

/// Requests that are alike: what one passes, in this order, and then takes until it has come. With
/// it goes what nobody waits for, once it has come.
struct RequestKind {
  std::vector<Need> passes;
  double latency_s = 0;
  std::vector<Need> sends;
};

struct Customer {
  std::vector<RequestKind> kinds;
  std::vector<std::size_t> requests;  ///< The kind of each, in the order in which it is used.
  std::size_t in_flight = 1;          ///< So many are asked for ahead of the one that is used.
  /// Numbers of requests, in order: of none from here on is asked before all before are used.
  std::vector<std::size_t> ends;
  double computing_s = 0;  ///< With each, once it has come.
};

struct Served {
  double seconds = 0;  ///< When the customer has used its last request.
  double half_s = 0;   ///< And when half of them.
  /// For how long it stood still for requests that waited at each resource longest, and at last for
  /// those that waited nowhere as long as their latency is.
  std::vector<double> stood_still_s;
};

/// One entry for each customer. pre: kinds and resources are there, in_flight > 0.
[[nodiscard]] std::vector<Served> serve(const std::vector<Customer>& customers,
                                        std::size_t resources);

}  // namespace homenode::model
