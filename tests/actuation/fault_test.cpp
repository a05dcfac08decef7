// Every system call of every function of this room, failed in every way that matters: an error or a
// receipt that says what to do, and the thread's policy as it was.
#include <linux/mempolicy.h>

#include <cerrno>
#include <functional>

#include "actuation/audit.h"
#include "actuation/next_touch.h"
#include "actuation/process.h"
#include "four_nodes.h"

namespace homenode::actuation {
namespace {

/// What one attempt came to: done, or the errors that it told of.
struct Outcome {
  bool complete = false;
  std::vector<Error> errors;
};

template <class Value>
Outcome outcome_of(const Result<Value>& result) {
  if (result) return {true, {}};
  return {false, {result.error()}};
}

Outcome outcome_of(const Result<Receipt>& result) {
  if (!result) return {false, {result.error()}};
  EXPECT_EQ(result->as_planned + result->refused, result->pages);
  return {result->refused == 0, result->refusals};
}

struct Function {
  const char* name;
  std::function<Outcome(os::Fake&, Region)> run;
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"set_region_policy",
       [](os::Fake& os, Region region) {
         return outcome_of(set_region_policy(
             os, region, {placement::PolicyKind::interleave, {NodeId(0), NodeId(1)}}));
       }},
      {"set_region_policy with a home",
       [](os::Fake& os, Region region) {
         return outcome_of(set_region_policy(
             os, region, {placement::PolicyKind::bind, {NodeId(0), NodeId(1)}, false, NodeId(1)}));
       }},
      {"move_to_policy of a region that is present",
       [](os::Fake& os, Region region) {
         os.first_touch(region.address, region.bytes, NodeId(2));
         return outcome_of(
             move_to_policy(os, region, {placement::PolicyKind::bind, {NodeId(0), NodeId(1)}}));
       }},
      {"move_to_policy interleaved",
       [](os::Fake& os, Region region) {
         os.first_touch(region.address, region.bytes, NodeId(2));
         return outcome_of(move_to_policy(
             os, region, {placement::PolicyKind::weighted_interleave, {NodeId(0), NodeId(1)}}));
       }},
      {"move_to_policy with a home",
       [](os::Fake& os, Region region) {
         os.first_touch(region.address, region.bytes, NodeId(2));
         return outcome_of(move_to_policy(
             os, region, {placement::PolicyKind::bind, {NodeId(0), NodeId(1)}, false, NodeId(1)}));
       }},
      {"arm_next_touch, a touch of each page, and disarm_next_touch",
       [](os::Fake& os, Region region) {
         os.first_touch(region.address, region.bytes, NodeId(2));
         if (const auto armed = arm_next_touch(os, region); !armed) return outcome_of(armed);
         for (std::size_t page = 0; page < 64; page += 16) *page_at(region, page) = 'x';
         const Outcome outcome = outcome_of(disarm_next_touch(region));
         (void)disarm_next_touch(region);  // Where the first one failed.
         return outcome;
       }},
      {"bind_thread",
       [](os::Fake& os, Region) {
         return outcome_of(bind_thread(os, 0, {CpuId(0), CpuId(3)}));
       }},
      {"audit", [](os::Fake& os, Region region) { return outcome_of(audit(os, region)); }},
      {"place_pages of a fresh region",
       [](os::Fake& os, Region region) {
         return outcome_of(place_pages(os, region, placement::cyclic(64, four_nodes)));
       }},
      {"place_pages of a region that is present",
       [](os::Fake& os, Region region) {
         os.first_touch(region.address, region.bytes, NodeId(2));
         return outcome_of(place_pages(os, region, placement::block(64, four_nodes)));
       }},
  };
  return all;
}

void expect_policy(os::Fake& os, int mode, const NodeSet& nodes) {
  int mode_now = -1;
  NodeSet nodes_now;
  ASSERT_EQ(os.get_mempolicy(mode_now, nodes_now), 0);
  EXPECT_EQ(mode_now, mode);
  EXPECT_EQ(nodes_now, nodes);
}

void fail_each_call_of(const Function& function, int errno_value) {
  const NodeSet own{NodeId(1), NodeId(7)};
  for (unsigned nth = 1;; ++nth) {
    os::FakeMachine machine = four_node_machine();
    machine.memory.huge_pages = true;
    os::Fake os(machine);
    const Region region = map_region(os, 64);
    ASSERT_EQ(os.set_mempolicy(MPOL_INTERLEAVE, own), 0);
    os.fail_call("", nth, errno_value);
    const Outcome outcome = function.run(os, region);
    const bool failed = os.has_failed();
    os.fail_call("", 0, 0);
    SCOPED_TRACE(std::string(function.name) + ", call " + std::to_string(nth) + " (" +
                 (failed ? os.calls()[os.calls().size() - 1] : "none") + "), errno " +
                 std::to_string(errno_value));
    expect_policy(os, MPOL_INTERLEAVE, own);
    for (const Error& error : outcome.errors) {
      EXPECT_FALSE(error.tried.empty());
      EXPECT_FALSE(error.next.empty()) << error.message();
      EXPECT_EQ(error.message().find('\n'), std::string::npos);
      EXPECT_EQ(error.errno_value, errno_value);
    }
    EXPECT_TRUE(outcome.complete || !outcome.errors.empty()) << "a partial success says why";
    if (!failed) {
      EXPECT_TRUE(outcome.complete);
      EXPECT_GT(nth, 1U);
      return;
    }
  }
}

TEST(Faults, EveryFailingCallIsToldAndLeavesThePolicyAsItWas) {
  for (const Function& function : functions()) {
    for (int errno_value :
         {EPERM, ENOSYS, EINVAL, ENOMEM, EIO, EACCES, ESRCH, EFAULT, EBUSY, ENODEV, EAGAIN}) {
      fail_each_call_of(function, errno_value);
    }
  }
}

struct Refused {
  const char* call;
  int errno_value;
  ErrorCode code;
  const char* advice;
};

TEST(Faults, TheAdviceNamesWhatIsMissing) {
  const std::vector<Refused> cases{
      {"set_mempolicy", EPERM, ErrorCode::not_supported, "CAP_SYS_NICE"},
      {"set_mempolicy", EPERM, ErrorCode::not_supported, "seccomp profile"},
      {"set_mempolicy", ENOSYS, ErrorCode::not_supported, "CONFIG_NUMA"},
      {"set_mempolicy", ENOMEM, ErrorCode::failed, "short of memory"},
      {"set_mempolicy", EINVAL, ErrorCode::failed, "homenode topology"},
  };
  for (const Refused& refused : cases) {
    os::Fake os(four_node_machine());
    os.set_file("/proc/self/status", "Mems_allowed_list:\t0-2,7\n");
    os.fail_call(refused.call, 1, refused.errno_value);
    const auto result =
        set_process_policy(os, {placement::PolicyKind::bind, {NodeId(0), NodeId(2)}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, refused.code);
    EXPECT_NE(result.error().next.find(refused.advice), std::string::npos)
        << result.error().message();
    EXPECT_NE(result.error().tried.find("bind on the nodes 0,2"), std::string::npos);
  }
}

TEST(Faults, AThreadOfAnotherUserNeedsACapability) {
  os::Fake os(four_node_machine());
  os.fail_call("sched_setaffinity", 1, EPERM);
  const auto result = bind_thread(os, 4711, {CpuId(0)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::not_supported);
  EXPECT_NE(result.error().message().find("the thread 4711"), std::string::npos);
  EXPECT_NE(result.error().message().find("CAP_SYS_NICE"), std::string::npos);
}

}  // namespace
}  // namespace homenode::actuation
