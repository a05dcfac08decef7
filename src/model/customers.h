// Threads as customers of a network of queues (queues.h): what each asks for, in which order and
// how much at a time. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "model/demand.h"
#include "model/queues.h"
#include "model/resources.h"

namespace homenode::model {

/// Lines that a request is in the network.
constexpr double lines_in_network = 2;

/// How the requests of all threads stand for the whole program. All that it is made of outlives it.
struct Sample {
  Sample(const Rates& rates, const Program& program, const Layout& layout,
         const Resources& resources, const std::vector<ThreadDemand>& demands);

  const Rates& rates;
  const Program& program;
  const Layout& layout;
  const Resources& resources;
  double lines_of_request;  ///< Of the program, for which one in the network stands.
};

struct Customers {
  std::vector<Customer> all;
  double requests = 0;   ///< Of all, as far as each stands for a line and more.
  double repeating = 0;  ///< Those of walks that repeat.
};

/// One for each thread.
[[nodiscard]] Customers customers_of(const Sample& sample,
                                     const std::vector<ThreadDemand>& demands);

}  // namespace homenode::model
