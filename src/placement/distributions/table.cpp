#include "placement/distributions/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace homenode::placement {
namespace {

using Nodes = std::span<const NodeId>;

/// Far above any memory, and far below what could wrap around.
constexpr std::uint64_t largest_block_pages = std::uint64_t{1} << 40U;
/// Above any number of nodes; the test for primes takes no time up to here.
constexpr std::uint64_t largest_prime = std::uint64_t{1} << 32U;

std::uint64_t parameter(Parameters parameters, std::size_t index, std::uint64_t otherwise) {
  return index < parameters.size() ? parameters[index] : otherwise;
}

Result<void> at_most(Parameters parameters, std::size_t count, const char* which) {
  if (parameters.size() <= count) return {};
  return bad_usage(
      fmt::format("{} takes at most {} parameters, but got {}", which, count, parameters.size()),
      "leave out the last ones");
}

Result<void> check_block_pages(Parameters parameters, std::size_t index, const char* which) {
  if (const auto few = at_most(parameters, index + 1, which); !few) return few;
  const std::uint64_t pages = parameter(parameters, index, 1);
  if (pages > 0 && pages <= largest_block_pages) return {};
  return bad_usage(fmt::format("{} cannot have blocks of {} pages", which, pages),
                   fmt::format("give a number from 1 to {}", largest_block_pages));
}

Result<void> check_block(Nodes, Parameters parameters) {
  return at_most(parameters, 0, "block");
}
Result<void> check_cyclic(Nodes, Parameters parameters) {
  return check_block_pages(parameters, 0, "cyclic");
}
Result<void> check_skew(Nodes, Parameters parameters) {
  return check_block_pages(parameters, 0, "skew");
}
Result<void> check_random(Nodes, Parameters parameters) {
  return check_block_pages(parameters, 1, "random");
}

Result<void> check_prime(Nodes nodes, Parameters parameters) {
  if (const auto pages = check_block_pages(parameters, 1, "prime"); !pages) return pages;
  if (parameters.empty()) return {};
  const std::uint64_t prime = parameters[0];
  if (prime >= nodes.size() && prime <= largest_prime && is_prime(prime)) return {};
  return bad_usage(
      fmt::format("{} is not a prime of at least {}, the number of nodes", prime, nodes.size()),
      fmt::format("choose a prime such as {}", prime_above(nodes.size())));
}

Result<void> check_weighted(Nodes nodes, Parameters weights) {
  if (weights.size() != nodes.size()) {
    return bad_usage(fmt::format("{} weights are given for {} nodes", weights.size(), nodes.size()),
                     "give one weight for each node, in increasing order of node");
  }
  const auto too_large = [](std::uint64_t weight) { return weight > largest_weight; };
  const auto zero = [](std::uint64_t weight) { return weight == 0; };
  if (std::none_of(weights.begin(), weights.end(), too_large) &&
      !std::all_of(weights.begin(), weights.end(), zero)) {
    return {};
  }
  return bad_usage("the weights are too large or all of them are 0",
                   fmt::format("give weights from 0 to {}, one of them above 0", largest_weight));
}

PageMap map_block(std::size_t pages, Nodes nodes, Parameters) {
  return block(pages, nodes);
}
PageMap map_cyclic(std::size_t pages, Nodes nodes, Parameters parameters) {
  return cyclic(pages, nodes, parameter(parameters, 0, 1));
}
PageMap map_skew(std::size_t pages, Nodes nodes, Parameters parameters) {
  return skew(pages, nodes, parameter(parameters, 0, 1));
}
PageMap map_prime(std::size_t pages, Nodes nodes, Parameters parameters) {
  const std::uint64_t prime_number = parameters.empty() ? prime_above(nodes.size()) : parameters[0];
  return prime(pages, nodes, {prime_number, parameter(parameters, 1, 1)});
}
PageMap map_random(std::size_t pages, Nodes nodes, Parameters parameters) {
  return random(pages, nodes, {parameter(parameters, 0, 0), parameter(parameters, 1, 1)});
}

constexpr std::array table{
    Distribution{"block", "", "contiguous parts of equal size, one for each node", check_block,
                 map_block},
    Distribution{"cyclic", "[:BLOCK_PAGES]", "page by page over the nodes, in turn", check_cyclic,
                 map_cyclic},
    Distribution{"skew", "[:BLOCK_PAGES]", "in turn, shifted by one node in each round", check_skew,
                 map_skew},
    Distribution{"prime", "[:P[,BLOCK_PAGES]]", "in turn over P virtual nodes, P a prime",
                 check_prime, map_prime},
    Distribution{"random", "[:SEED[,BLOCK_PAGES]]",
                 "the same number of pages for each node, in "
                 "random order",
                 check_random, map_random},
    Distribution{"weighted", ":W0,W1,...", "in proportion to one weight for each node",
                 check_weighted, weighted},
};

}  // namespace

std::span<const Distribution> distributions() {
  return table;
}

Result<Distribution> find_distribution(std::string_view name) {
  std::string names;
  for (const Distribution& distribution : table) {
    if (distribution.name == name) return distribution;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", distribution.name);
  }
  return bad_usage(fmt::format("there is no distribution '{}'", name), "choose one of: " + names);
}

}  // namespace homenode::placement
