#include "workloads/program/description.h"

#include <algorithm>

namespace homenode::workloads {

const Parameter* Description::find_parameter(std::string_view wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

Description description_of(const std::string& name, const std::string& summary,
                           const std::string& memory, const std::string& use,
                           const std::string& source) {
  Description description;
  description.name = name;
  description.summary = summary;
  description.memory = memory;
  description.use = use;
  description.source = source;
  description.schema = "homenode.bench." + name + "/2";
  return description;
}

Parameter whole_number(const std::string& name, const std::string& standard,
                       const std::string& meaning, std::optional<double> least,
                       std::optional<double> most) {
  return {name, ValueKind::whole, standard, meaning, least, most, {}};
}

Parameter real_number(const std::string& name, const std::string& standard,
                      const std::string& meaning, std::optional<double> least,
                      std::optional<double> most) {
  return {name, ValueKind::real, standard, meaning, least, most, {}};
}

Parameter byte_size(const std::string& name, const std::string& standard,
                    const std::string& meaning, std::optional<double> least,
                    std::optional<double> most) {
  return {name, ValueKind::size, standard, meaning, least, most, {}};
}

Parameter one_of(const std::string& name, const std::string& standard, const std::string& meaning,
                 const std::vector<Choice>& choices) {
  return {name, ValueKind::choice, standard, meaning, {}, {}, choices};
}

Parameter free_text(const std::string& name, const std::string& standard,
                    const std::string& meaning) {
  return {name, ValueKind::text, standard, meaning, {}, {}, {}};
}

Parameter on_or_off(const std::string& name, const std::string& standard,
                    const std::string& meaning) {
  return {name, ValueKind::flag, standard, meaning, {}, {}, {}};
}

void add_program_parameters(Description& description) {
  description.placement = "strategy";
  description.parameters.push_back(
      whole_number("threads", "", "threads (default: one per allowed CPU)", 1));
  description.parameters.push_back({.name = "strategy",
                                    .kind = ValueKind::strategy,
                                    .standard = "none",
                                    .meaning = "how threads and arrays are placed"});
  description.parameters.push_back(whole_number("runs", "1", "number of runs, each checked", 1));
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
