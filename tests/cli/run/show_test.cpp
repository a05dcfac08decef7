#include "cli/run/show.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>

#include <nlohmann/json.hpp>

namespace homenode::cli {
namespace {

PolicyState state_of(int mode, NodeSet nodes) {
  PolicyState state;
  state.mode = mode;
  state.nodes = std::move(nodes);
  state.cpus = {CpuId(0), CpuId(2)};
  state.cpu_nodes = {NodeId(0), NodeId(1)};
  state.memory_nodes = mode == MPOL_BIND ? state.nodes : NodeSet::range(NodeId(0), NodeId(3));
  return state;
}

constexpr const char* cpu_lines = "physcpubind: 0 2 \ncpubind: 0 1 \nnodebind: 0 1 \n";

TEST(RunShow, PrintsNumactlsLines) {
  EXPECT_EQ(show_text(state_of(MPOL_DEFAULT, {})),
            std::string("policy: default\npreferred node: current\n") + cpu_lines +
                "membind: 0 1 2 3 \npreferred: \n");
  EXPECT_EQ(show_text(state_of(MPOL_BIND, {NodeId(1), NodeId(3)})),
            std::string("policy: bind\npreferred node: 1\n") + cpu_lines +
                "membind: 1 3 \npreferred: 1 3 \n");
  PolicyState interleaved = state_of(MPOL_INTERLEAVE, {NodeId(1), NodeId(3)});
  interleaved.next_interleaved = NodeId(3);
  EXPECT_EQ(show_text(interleaved),
            std::string("policy: interleave\npreferred node: 3 (interleave next)\n"
                        "interleavemask: 1 3 \ninterleavenode: 3\n") +
                cpu_lines + "membind: 0 1 2 3 \npreferred: 1 3 \n");
}

TEST(RunShow, NamesEveryPolicyWithoutItsFlags) {
  const std::vector<std::pair<int, std::string>> cases{
      {MPOL_PREFERRED, "policy: preferred\npreferred node: 2\n"},
      {5, "policy: preferred-many\npreferred node: 2 (preferred-many)\n"},
      {MPOL_BIND | (1 << 13), "policy: bind\npreferred node: 2\n"},
      {6, "policy: weighted interleave\npreferred node: 2\n"},
      {9, "policy: [9]\npreferred node: 2\n"},
  };
  for (const auto& [mode, start] : cases) {
    EXPECT_EQ(show_text(state_of(mode, {NodeId(2)})).substr(0, start.size()), start);
  }
  EXPECT_TRUE(
      show_text(state_of(MPOL_LOCAL, {})).starts_with("policy: local\npreferred node: current\n"));
}

TEST(RunShow, HasTheSameInJson) {
  const auto json =
      nlohmann::json::parse(show_json(state_of(MPOL_BIND | (1 << 13), {NodeId(1), NodeId(3)})));
  EXPECT_EQ(json["schema"], "homenode.run.show/1");
  EXPECT_EQ(json["policy"], "bind");
  EXPECT_EQ(json["balancing"], true);
  EXPECT_EQ(json["nodes"], (std::vector<int>{1, 3}));
  EXPECT_EQ(json["cpus"], (std::vector<int>{0, 2}));
  EXPECT_TRUE(json["next_interleaved"].is_null());
}

}  // namespace
}  // namespace homenode::cli
