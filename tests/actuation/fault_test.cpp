// Every system call under every function of this room, refused in every way that the kernel
// documents: an error or a receipt that says what to do, and the thread's policy, its CPUs and the
// memory as they were.
#include <fmt/format.h>
#include <linux/mempolicy.h>

#include <cerrno>
#include <functional>

#include "actuation/aligned_memory.h"
#include "actuation/audit.h"
#include "actuation/mappings.h"
#include "actuation/next_touch.h"
#include "actuation/process.h"
#include "base/id_list.h"
#include "machine/kernel_files.h"
#include "os/every_refusal.h"
#include "regions.h"

namespace homenode::actuation {
namespace {

using os::Outcome;
using os::outcome_of;
using placement::Policy;
using placement::PolicyKind;

const NodeSet first_two{NodeId(0), NodeId(1)};

Outcome outcome_of(const Result<Receipt>& result) {
  if (!result) return os::outcome_of(result.error());
  EXPECT_EQ(result->as_planned + result->refused, result->pages);
  Outcome outcome{result->refused == 0, {}};
  for (const Error& error : result->refusals) {
    outcome.told.push_back(os::outcome_of(error).told.front());
  }
  return outcome;
}

struct Row {
  const char* name;
  std::size_t pages;
  bool present;  ///< Already on node 2 before.
  std::function<Outcome(os::Os&, Region)> run;
  std::set<std::string> dispensable = {};
  std::set<std::pair<std::string, int>> left_out = {};
};

/// A region of a kernel with four nodes and huge pages, for a thread that interleaves.
class RegionTrial final : public os::Trial {
 public:
  explicit RegionTrial(const Row& row) : row_(row), os_(machine()) {
    os_.set_root("/no such folder");
    os_.set_file("/proc/self/status", "Mems_allowed_list:\t0-2,7\n");
    // For next touch: on node 2 there are CPUs and, as these say, no memory.
    os_.set_file("/sys/devices/system/node/has_memory", "0-1,7\n");
    os_.set_file("/sys/devices/system/node/has_cpu", "0-2,7\n");
    os_.set_file("/sys/devices/system/node/online", "0-2,7\n");
    os_.set_file("/sys/devices/system/node/node2/distance", "20 12 10 20\n");
    region_ = map_region(os_, row.pages);
    if (row.present) os_.first_touch(region_.address, region_.bytes, NodeId(2));
    EXPECT_EQ(os_.set_mempolicy(MPOL_INTERLEAVE, {NodeId(1), NodeId(7)}), 0);
  }
  RegionTrial(const RegionTrial&) = delete;
  RegionTrial& operator=(const RegionTrial&) = delete;
  ~RegionTrial() override { (void)disarm_next_touch(region_); }

  os::Fake& kernel() override { return os_; }
  Outcome run() override { return row_.run(os_, region_); }

  /// Where the pages are, once all have been touched from node 2; and where the thread may run.
  std::string result() override {
    EXPECT_EQ(os_.set_mempolicy(MPOL_DEFAULT, {}), 0);
    os_.first_touch(region_.address, region_.bytes, NodeId(2));
    EXPECT_EQ(os_.set_mempolicy(MPOL_INTERLEAVE, {NodeId(1), NodeId(7)}), 0);
    std::string text = "CPUs " + cpus();
    std::optional<NodeId> last;
    for (std::size_t page = 0; page < row_.pages; ++page) {
      const auto node = os_.node_of(page_at(region_, page));
      if (node != last) text += fmt::format(", {} from page {}", node->value(), page);
      last = node;
    }
    return text;
  }

  std::string state() override {
    (void)disarm_next_touch(region_);
    for (std::size_t page = 0; page < row_.pages; ++page) *page_at(region_, page) = 'x';
    int mode = -1;
    NodeSet nodes;
    EXPECT_EQ(os_.get_mempolicy(mode, nodes), 0);
    return fmt::format("policy {} of {}, CPUs {}, {} mappings", mode, to_list(nodes), cpus(),
                       os_.mappings());
  }

 private:
  static os::FakeMachine machine() {
    os::FakeMachine machine = four_node_machine();
    machine.memory.huge_pages = true;
    machine.memory.split_lets_go = true;
    return machine;
  }
  std::string cpus() {
    CpuSet now;
    EXPECT_EQ(os_.sched_getaffinity(0, now), 0);
    return to_list(now);
  }

  const Row& row_;
  os::Fake os_;
  Region region_;
};

/// Touches four of the pages of an armed region; the trial disarms it.
Outcome touch_armed(os::Os& os, Region region) {
  if (const auto armed = arm_next_touch(os, region); !armed) return outcome_of(armed);
  for (std::size_t page = 0; page < 64; page += 16) *page_at(region, page) = 'x';
  const auto counts = next_touch_counts(region);
  if (!counts) return outcome_of(counts);
  EXPECT_TRUE(counts->gave_up || counts->touched_units == 4U);
  if (counts->pages_moved == 4) return {true, {}};
  return {false, {"some pages were left where they were"}, false};
}

Outcome arm_and_disarm(os::Os& os, Region region) {
  if (const auto armed = arm_next_touch(os, region); !armed) return outcome_of(armed);
  const auto counts = disarm_next_touch(region);
  EXPECT_TRUE(counts || disarm_next_touch(region)) << "it can be tried again";
  return outcome_of(counts);
}

Outcome place(os::Os& os, Region region, const placement::PageMap& map) {
  return outcome_of(place_pages(os, region, map));
}

Row row_of_policy(const char* name, const Policy& policy) {
  return {name,
          64,
          true,
          [policy](os::Os& os, Region region) {
            return outcome_of(move_to_policy(os, region, policy));
          },
          // Files say what the kernel's weights and huge pages are; else each weight is 1.
          {"read_file"}};
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"set_process_policy", 1, true,
       [](os::Os& os, Region) {
         return outcome_of(set_process_policy(os, {PolicyKind::bind, first_two}));
       }},
      {"set_region_policy", 64, false,
       [](os::Os& os, Region region) {
         return outcome_of(set_region_policy(os, region, {PolicyKind::interleave, first_two}));
       }},
      {"set_region_policy with a home", 64, false,
       [](os::Os& os, Region region) {
         return outcome_of(
             set_region_policy(os, region, {PolicyKind::bind, first_two, false, NodeId(1)}));
       }},
      row_of_policy("move_to_policy", {PolicyKind::bind, first_two}),
      row_of_policy("move_to_policy interleaved", {PolicyKind::weighted_interleave, first_two}),
      row_of_policy("move_to_policy with a home", {PolicyKind::bind, first_two, false, NodeId(1)}),
      // Files say which nodes have no memory, and one page of a huge one may stay in it.
      {"arm_next_touch and touches", 64, true, touch_armed, {"read_file", "advise_memory"}},
      {"arm_next_touch and disarm_next_touch",
       64,
       true,
       arm_and_disarm,
       {"read_file", "advise_memory"}},
      {"bind_thread", 1, true,
       [](os::Os& os, Region) {
         return outcome_of(bind_thread(os, 0, {CpuId(0), CpuId(3)}));
       }},
      {"audit", 64, true, [](os::Os& os, Region region) { return outcome_of(audit(os, region)); }},
      {"audit of memory that is not mapped",
       1,
       true,
       [](os::Os& os, Region region) {
         const Region below{reinterpret_cast<void*>(std::size_t{1} << 20U), region.bytes};
         return outcome_of(audit(os, below));
       },
       {"read_file"}},
      {"place_pages of a fresh region", 64, false,
       [](os::Os& os, Region region) {
         return place(os, region, placement::cyclic(64, four_nodes));
       }},
      {"place_pages of a region that is present", 64, true,
       [](os::Os& os, Region region) {
         return place(os, region, placement::block(64, four_nodes));
       }},
      {"place_pages of huge pages",
       1200,
       true,
       [](os::Os& os, Region region) {
         return place(os, region, placement::cyclic(1200, four_nodes, 300));
       },
       {},
       // EINVAL is how a kernel without huge pages answers: told of by what went wrong.
       {{"advise_memory", 0}}},
      {"free memory",
       1,
       true,
       [](os::Os& os, Region) {
         (void)machine::free_memory(os, four_nodes);
         (void)machine::available_memory(os);
         return Outcome{true, {}};
       },
       {"read_file"}},
      {"aligned memory", 1, true,
       [](os::Os& os, Region) {
         return outcome_of(AlignedMemory::map(os, huge_page_bytes, huge_page_bytes));
       }},
  };
  return all;
}

TEST(Faults, EveryRefusalIsToldAndNothingIsLost) {
  std::set<std::string> calls;
  for (const Row& row : rows()) {
    os::refuse_every_call({row.name, [&row] { return std::make_unique<RegionTrial>(row); },
                           row.dispensable, row.left_out},
                          calls);
    if (HasFailure()) return;
  }
  // All that this room calls; populate_ranges is populate_memory to the fake.
  const std::set<std::string> wanted{
      "advise_memory", "get_mempolicy",   "getcpu",         "map_memory", "mbind",
      "move_pages",    "populate_memory", "protect_memory", "read_file",  "sched_setaffinity",
      "set_home_node", "set_mempolicy",   "unmap_memory"};
  EXPECT_EQ(calls, wanted);
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
  EXPECT_NE(result.error().message().find("thread 4711"), std::string::npos);
  EXPECT_NE(result.error().message().find("CAP_SYS_NICE"), std::string::npos);
}

}  // namespace
}  // namespace homenode::actuation
