#include "actuation/process.h"

#include <linux/mempolicy.h>

#include <cerrno>

#include "regions.h"

namespace homenode::actuation {
namespace {

using placement::Policy;
using placement::PolicyKind;

TEST(ProcessPolicy, IsWhatTheKernelThenHas) {
  os::Fake os(four_node_machine());
  const NodeSet nodes{NodeId(1), NodeId(7)};
  const std::vector<std::pair<Policy, int>> cases{
      {{PolicyKind::interleave, nodes}, MPOL_INTERLEAVE},
      {{PolicyKind::bind, nodes}, MPOL_BIND},
      {{PolicyKind::bind, nodes, true}, MPOL_BIND | (1 << 13)},
      {{PolicyKind::preferred, {NodeId(7)}}, MPOL_PREFERRED},
      {{PolicyKind::preferred_many, nodes}, 5},
      {{PolicyKind::weighted_interleave, nodes}, 6},
      {{PolicyKind::local, {}}, MPOL_LOCAL},
      {{PolicyKind::default_policy, {}}, MPOL_DEFAULT},
  };
  for (const auto& [policy, mode] : cases) {
    ASSERT_TRUE(set_process_policy(os, policy)) << to_string(policy.kind);
    int mode_now = -1;
    NodeSet nodes_now;
    ASSERT_EQ(os.get_mempolicy(mode_now, nodes_now), 0);
    EXPECT_EQ(mode_now, mode);
    EXPECT_EQ(nodes_now, policy.nodes);
  }
}

TEST(ProcessPolicy, HasNoHome) {
  os::Fake os(four_node_machine());
  const auto result = set_process_policy(os, {PolicyKind::bind, {NodeId(1)}, false, NodeId(1)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::bad_usage);
  EXPECT_TRUE(os.calls().empty());
}

TEST(ProcessPolicy, NamesTheNodesThatCannotBeUsed) {
  os::Fake os(four_node_machine());
  os.set_file("/proc/self/status", "Name:\tx\nMems_allowed_list:\t0-2,7\n");
  const auto result = set_process_policy(os, {PolicyKind::bind, {NodeId(3), NodeId(12)}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::bad_usage);
  EXPECT_NE(result.error().next.find("of these nodes, 3,12"), std::string::npos);
  EXPECT_NE(result.error().next.find("0-2,7"), std::string::npos);
}

TEST(ProcessPolicy, NamesTheKernelThatIsNeeded) {
  os::Fake os(four_node_machine());
  os.set_file("/proc/self/status", "Mems_allowed_list:\t0-2,7\n");
  os.fail_call("set_mempolicy", 1, EINVAL);
  const auto result = set_process_policy(os, {PolicyKind::preferred_many, {NodeId(1)}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::not_supported);
  EXPECT_NE(result.error().next.find("Linux 5.15"), std::string::npos);
}

TEST(ProcessPolicy, IsCheckedBeforeTheKernelIsAsked) {
  os::Fake os(four_node_machine());
  EXPECT_FALSE(set_process_policy(os, {PolicyKind::bind, {}}));
  EXPECT_TRUE(os.calls().empty());
}

TEST(BindThread, BindsTheCallerOrAnotherThread) {
  os::Fake os(four_node_machine());
  ASSERT_TRUE(bind_thread(os, 0, {CpuId(2), CpuId(3)}));
  ASSERT_TRUE(bind_thread(os, 1234, {CpuId(7)}));
  CpuSet cpus;
  os.sched_getaffinity(0, cpus);
  EXPECT_EQ(cpus, (CpuSet{CpuId(2), CpuId(3)}));
  os.sched_getaffinity(1234, cpus);
  EXPECT_EQ(cpus, CpuSet{CpuId(7)});
}

TEST(BindThread, NamesTheCpusThatAreNotThere) {
  os::Fake os(four_node_machine());
  os.set_file("/sys/devices/system/cpu/online", "0-7\n");
  const auto result = bind_thread(os, 0, {CpuId(100)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::bad_usage);
  EXPECT_NE(result.error().message().find("none of the CPUs 100 is both online (0-7)"),
            std::string::npos);
  EXPECT_FALSE(bind_thread(os, 0, {}));
}

}  // namespace
}  // namespace homenode::actuation
