// Properties of the list syntaxes over random sets, and random text that must never be taken for
// more than it says.
#include <gtest/gtest.h>

#include <random>

#include "base/id_list.h"
#include "placement/policies/list_syntax.h"
#include "support/sanitized.h"

namespace homenode::placement {
namespace {

using machine::Machine;

using Random = std::mt19937;

unsigned below(Random& random, unsigned limit) {
  return std::uniform_int_distribution<unsigned>(0, limit - 1)(random);
}

/// Some of the ids below 100, at least one.
NodeSet random_nodes(Random& random) {
  const unsigned percent = 1 + below(random, 99);
  NodeSet set;
  for (unsigned id = 0; id < 100; ++id) {
    if (below(random, 100) < percent) set.insert(NodeId(id));
  }
  if (set.empty()) set.insert(NodeId(below(random, 100)));
  return set;
}

Machine machine_of(const NodeSet& nodes, const NodeSet& allowed) {
  Machine machine;
  for (NodeId id : nodes.to_vector()) {
    machine.nodes.push_back({id, CpuSet{CpuId(id.value() * 2)}, 1_MiB, {}});
    if (allowed.contains(id)) machine.allowed_cpus.insert(CpuId(id.value() * 2));
  }
  machine.allowed_nodes = allowed;
  return machine;
}

NodeSet random_part(const NodeSet& whole, Random& random) {
  NodeSet part = random_nodes(random) & whole;
  if (part.empty()) part.insert(whole.to_vector().front());
  return part;
}

/// The positions that the members of `part` have within `whole`, as a list.
std::string positions(const NodeSet& part, const NodeSet& whole) {
  NodeSet places;
  unsigned place = 0;
  for (NodeId id : whole.to_vector()) {
    if (part.contains(id)) places.insert(NodeId(place));
    ++place;
  }
  return to_list(places);
}

TEST(ListProperties, EveryFormGivesTheSetItSays) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    const NodeSet existing = random_nodes(random);
    const NodeSet allowed = random_part(existing, random);
    const NodeSet wanted = random_part(allowed, random);
    const Machine machine = machine_of(existing, allowed);
    const auto read = [&](const std::string& text) {
      const auto result = parse_nodes(machine, text);
      return result ? *result : NodeSet();
    };
    const std::string places = positions(wanted, allowed);
    ASSERT_EQ(read(to_list(wanted)), wanted) << "round " << round;
    ASSERT_EQ(read(std::string("+").append(places)), wanted) << "round " << round;
    ASSERT_EQ(read(std::string("!").append(to_list(wanted))), allowed - wanted)
        << "round " << round;
    ASSERT_EQ(read(std::string("!+").append(places)), allowed - wanted) << "round " << round;
    ASSERT_EQ(read("all"), allowed) << "round " << round;
    ASSERT_EQ(parse_nodes(machine, to_list(existing)).has_value(), existing == allowed);
  }
}

TEST(ListFuzz, RandomTextIsRefusedOrWithinTheAllowedIds) {
  Random random(11);
  constexpr std::string_view alphabet = "0123456789,-!+ :/xalsme\n\t;";
  const Machine machine = machine_of(*parse_node_list("0-9,20-29"), *parse_node_list("2-8,22-24"));
  unsigned accepted = 0;
  for (unsigned round = 0; round < 40000 / texts_per_trial; ++round) {
    std::string text;
    for (unsigned length = below(random, 9); length > 0; --length) {
      text += below(random, 50) == 0 ? static_cast<char>(below(random, 256))
                                     : alphabet[below(random, unsigned{alphabet.size()})];
    }
    const auto nodes = parse_nodes(machine, text);
    const auto cpus = parse_cpus(machine, text);
    if (nodes) {
      ++accepted;
      ASSERT_FALSE(nodes->empty()) << text;
      ASSERT_TRUE(nodes->is_subset_of(machine.allowed_nodes)) << text;
      ASSERT_EQ(*parse_nodes(machine, to_list(*nodes)), *nodes) << text;
    }
    if (cpus) {
      ASSERT_TRUE(cpus->is_subset_of(machine.allowed_cpus)) << text;
    }
  }
  EXPECT_GT(accepted, 500 / texts_per_trial) << "the text is too wild to test anything";
}

}  // namespace
}  // namespace homenode::placement
