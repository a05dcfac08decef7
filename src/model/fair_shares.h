// How long several flows take that share resources: all rates rise together, each by its weight,
// until a resource is full or a flow is as fast as it can be; what is left goes to the others
// (max-min fairness by progressive filling: Bertsekas and Gallager, Data Networks, section 6.5.2).
// Whoever is done leaves its share to the others, or goes on to what it does next. Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace homenode::model {

/// What a flow needs of one resource: seconds for which it would have it to itself.
struct Need {
  std::size_t resource = 0;
  double seconds = 0;
};

struct Flow {
  double weight = 1;   ///< Its share of a full resource, in progress, against the others'.
  double least_s = 0;  ///< It takes at least as long.
  std::vector<Need> needs;
};

struct Completion {
  double seconds = 0;
  /// For how long each resource was what held the flow up; the last entry: nothing but itself.
  std::vector<double> held_up_s;
};

/// What somebody does one after the other, each by itself.
using Course = std::vector<Flow>;

/// One entry for each course; a flow without needs takes its least time. pre: weights are positive,
/// times are not negative, resources are below `resources`.
[[nodiscard]] std::vector<Completion> complete(const std::vector<Course>& courses,
                                               std::size_t resources);
/// The same of courses of one flow each.
[[nodiscard]] std::vector<Completion> complete(const std::vector<Flow>& flows,
                                               std::size_t resources);

}  // namespace homenode::model
