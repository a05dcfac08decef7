#include "trial/map/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "os/atomic_file.h"
#include "trial/map/patterns.h"
#include "workloads/map/description.h"

namespace homenode::trial {
namespace {

using workloads::map::line_bytes;
using workloads::map::Operation;
using workloads::map::Order;
using MapPattern = workloads::map::Pattern;

}  // namespace

std::string pattern_name(const MapOptions& options) {
  return options.multi_patterns ? multi_patterns_name : std::string(options.pattern.name);
}
std::string to_string(Order order) {
  return name_of(map_orders, order);
}
std::string to_string(Operation operation) {
  return name_of(map_operations, operation);
}
std::string to_string(Method method) {
  return name_of(map_methods, method);
}
std::string to_string(TeamKind team) {
  return name_of(map_teams, team);
}

std::vector<std::string> to_arguments(const MapOptions& options) {
  std::vector<std::string> words{
      "--pattern", pattern_name(options),        "--phases", to_string(options.phases),
      "--order",   to_string(options.order),     "--op",     to_string(options.operation),
      "--method",  to_string(options.method),    "--passes", std::to_string(options.passes),
      "--team",    to_string(options.team),      "--pages",  to_string(options.pages),
      "--seed",    std::to_string(options.seed), "--bind",   options.bind};
  const auto add = [&words](const std::string& option, const std::string& value) {
    words.push_back(option);
    words.push_back(value);
  };
  if (options.shape) {
    add("--shape", to_string(*options.shape));
  } else {
    add("--size", std::to_string(options.size.value));
  }
  if (options.overlap_percent) add("--overlap", std::to_string(*options.overlap_percent));
  if (options.threads) add("--threads", std::to_string(*options.threads));
  if (!options.output.empty()) add("--output", options.output);
  if (options.json) words.emplace_back("--json");
  if (options.launched) words.emplace_back("--launched");
  return words;
}

namespace {

/// Every thread needs an element.
Result<void> check_elements(const MapOptions& options) {
  const std::uint64_t threads = options.threads.value_or(1);
  const std::uint64_t elements =
      options.shape ? options.shape->elements() : options.size.value / line_bytes;
  if (elements >= threads) return {};
  if (options.shape) {
    return bad_usage(fmt::format("{} threads need {} elements, and {} has {}", threads, threads,
                                 to_string(*options.shape), elements),
                     "give a larger --shape or fewer --threads");
  }
  return bad_usage(fmt::format("{} threads need {} elements of {} bytes, and {} bytes hold {}",
                               threads, threads, line_bytes, options.size.value, elements),
                   fmt::format("give --size {} or more", threads * line_bytes));
}

}  // namespace

Result<void> check(const MapOptions& options) {
  if (options.threads == 0U) {
    return bad_usage("--threads must be at least 1", "give --threads 1 or more");
  }
  if (options.threads.value_or(1) > workloads::map::most_threads) {
    return bad_usage(fmt::format("--threads {} is more than Linux can start", *options.threads),
                     fmt::format("give --threads {} or fewer", workloads::map::most_threads));
  }
  if (options.passes == 0) {
    return bad_usage("--passes must be at least 1", "give --passes 1 or more");
  }
  if (options.overlap_percent.value_or(0) > 100) {
    return bad_usage(fmt::format("--overlap {} is more than a neighbour's whole part, 100 percent",
                                 *options.overlap_percent),
                     "give --overlap between 0 and 100");
  }
  if (const auto checked = check_elements(options); !checked) return checked.as_unexpected();
  if (const auto checked = check_shape(options); !checked) return checked.as_unexpected();
  const std::vector<MapPattern> phases = phases_of(options);
  const bool needs_nodes = options.method == Method::rewrite ||
                           (options.method == Method::api &&
                            std::any_of(phases.begin(), phases.end(), [](const MapPattern& one) {
                              return one.use == workloads::map::Use::boxes;
                            }));
  if (options.bind == "none" && needs_nodes) {
    return bad_usage(fmt::format("--method {} puts each part near its thread, so it needs threads "
                                 "that are bound to CPUs",
                                 to_string(options.method)),
                     "leave out --bind none, or choose the method default or command-line");
  }
  return os::check_output_folder(options.output);
}

}  // namespace homenode::trial
