#include "workloads/program/description.h"

#include <algorithm>

namespace homenode::workloads {

const Parameter* Description::find_parameter(std::string_view wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

void add_program_parameters(Description& description) {
  description.placement = "strategy";
  description.parameters.push_back(
      {.name = "threads", .meaning = "threads (default: one per allowed CPU)", .least = 1});
  description.parameters.push_back({.name = "strategy",
                                    .kind = ValueKind::strategy,
                                    .standard = "none",
                                    .meaning = "how threads and arrays are placed"});
  description.parameters.push_back({.name = "runs",
                                    .standard = "1",
                                    .meaning = "how often it is run, checked each time",
                                    .least = 1});
}

std::vector<Metric> program_metrics(const std::string& unit, const std::string& operations) {
  return {{.name = "rate",
           .unit = unit,
           .meaning = "millions of " + operations + " per second of the timed part",
           .path = "/runs/*/rate",
           .operations = "/runs/*/operations"},
          {.name = "seconds",
           .unit = "s",
           .meaning = "time of the timed part",
           .path = "/runs/*/seconds",
           .more_is_better = false}};
}

}  // namespace homenode::workloads
