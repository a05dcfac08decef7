// Repair under the fake kernel: what is moved, what the receipt says, and each refusal.
#include "actuation/repair.h"

#include <linux/mempolicy.h>

#include <cerrno>

#include "support/where_process.h"

namespace homenode::actuation {
namespace {

using sensing::Group;
using Nodes = std::vector<unsigned>;
constexpr std::uint64_t page = os::fake_page_bytes;

RepairRequest request(const std::string& rule) {
  RepairRequest request;
  request.rule = *placement::parse_memory_rule(rule, {NodeId(0), NodeId(1), NodeId(64)});
  request.groups = {std::begin(sensing::all_groups), std::end(sensing::all_groups)};
  return request;
}

/// The sums of a receipt add up.
void expect_whole(const RepairReceipt& receipt) {
  EXPECT_EQ(receipt.planned_bytes, receipt.moved_bytes + receipt.kept_shared_bytes +
                                       receipt.vanished_bytes + receipt.refused_bytes +
                                       receipt.not_tried_bytes);
  std::uint64_t refused = 0;
  for (const RefusedMove& move : receipt.refusals) {
    refused += move.bytes;
    EXPECT_FALSE(move.error.next.empty());
    EXPECT_EQ(move.error.message().find('\n'), std::string::npos);
  }
  EXPECT_EQ(refused, receipt.refused_bytes) << "each refused page has its reason";
}

class WhereRepair : public ::testing::Test {
 protected:
  Result<RepairReceipt> try_repair(const RepairRequest& what) {
    return repair_pages(process.os, process.survey, what, pace.pace(), nullptr);
  }
  RepairReceipt repair(const RepairRequest& what) {
    const auto receipt = try_repair(what);
    EXPECT_TRUE(receipt) << receipt.error().message();
    if (!receipt) return {};
    if (!what.dry_run) expect_whole(*receipt);
    return *receipt;
  }

  WhereProcess process;
  FakePace pace;
};

TEST_F(WhereRepair, MovesWhatIsElsewhereAndNothingElse) {
  const char* const heap = process.add({0, 1, 64, 0});
  const char* const file = process.add({64, 64}, Group::file);
  RepairRequest only_heap = request("bind@1");
  only_heap.groups = {Group::heap};
  const RepairReceipt receipt = repair(only_heap);
  EXPECT_EQ(process.nodes_at(heap, 4), (Nodes{1, 1, 1, 1}));
  EXPECT_EQ(process.nodes_at(file, 2), (Nodes{64, 64}));
  EXPECT_EQ(receipt.looked_at_bytes, 4 * page);
  EXPECT_EQ(receipt.planned_bytes, 3 * page);
  EXPECT_EQ(receipt.moved_bytes, 3 * page);
  EXPECT_EQ((receipt.plan.at({NodeId(0), NodeId(1)})), 2 * page);
}

TEST_F(WhereRepair, EachMappingFollowsTheRuleOnItsOwn) {
  const char* const first = process.add({0, 0, 0});
  const char* const second = process.add({1, 1, 1, 1});
  repair(request("interleave@0-1"));
  EXPECT_EQ(process.nodes_at(first, 3), (Nodes{0, 1, 0}));
  EXPECT_EQ(process.nodes_at(second, 4), (Nodes{0, 1, 0, 1}));
}

TEST_F(WhereRepair, OneMappingMayBeChosen) {
  const char* const first = process.add({0, 0});
  const char* const second = process.add({0, 0});
  RepairRequest one = request("map:1x64,1x1");
  EXPECT_EQ(try_repair(one).error().code, ErrorCode::bad_usage) << "a map needs a mapping";
  one.at = reinterpret_cast<std::uintptr_t>(second);
  repair(one);
  EXPECT_EQ(process.nodes_at(first, 2), (Nodes{0, 0}));
  EXPECT_EQ(process.nodes_at(second, 2), (Nodes{64, 1}));
  one.at = 0x1000;
  EXPECT_EQ(try_repair(one).error().code, ErrorCode::bad_usage);
}

TEST_F(WhereRepair, ADryRunMovesNothing) {
  const char* const heap = process.add({0, 1, 0});
  RepairRequest dry = request("bind@1");
  dry.dry_run = true;
  const RepairReceipt receipt = repair(dry);
  EXPECT_EQ(process.nodes_at(heap, 3), (Nodes{0, 1, 0}));
  EXPECT_EQ(receipt.planned_bytes, 2 * page);
  EXPECT_EQ(receipt.moved_bytes, 0U);
}

TEST_F(WhereRepair, PagesThatOthersShareAreKeptAndSaidSo) {
  const char* const heap = process.add({0, 0, 0});
  process.os.fail_page(heap + page, EACCES);
  const RepairReceipt receipt = repair(request("bind@1"));
  EXPECT_EQ(process.nodes_at(heap, 3), (Nodes{1, 0, 1}));
  EXPECT_EQ(receipt.kept_shared_bytes, page);
  EXPECT_EQ(receipt.refused_bytes, 0U);
}

TEST_F(WhereRepair, ABusyPageIsRefusedAndStopsNoOther) {
  const char* const heap = process.add(Nodes(300, 0));
  process.os.fail_page(heap + 7 * page, EBUSY);
  const RepairReceipt receipt = repair(request("bind@1"));
  EXPECT_EQ(receipt.moved_bytes, 299 * page);
  EXPECT_EQ(receipt.refused_bytes, page);
  ASSERT_EQ(receipt.refusals.size(), 1U);
  EXPECT_NE(receipt.refusals[0].error.next.find("try again"), std::string::npos);
}

TEST(WhereRepairOfAFullNode, SaysWhichPagesFoundNoRoom) {
  os::FakeMachine machine = two_and_sixty_four();
  machine.memory.free_pages[NodeId(1)] = 100;
  WhereProcess process(machine);
  process.add(Nodes(400, 0));
  FakePace pace;
  const auto receipt =
      repair_pages(process.os, process.survey, request("bind@1"), pace.pace(), nullptr);
  ASSERT_TRUE(receipt);
  expect_whole(*receipt);
  EXPECT_EQ(receipt->moved_bytes, 100 * page);
  EXPECT_EQ(receipt->refused_bytes, 300 * page);
  ASSERT_EQ(receipt->refusals.size(), 1U);
  EXPECT_NE(receipt->refusals[0].error.next.find("full"), std::string::npos);
}

TEST_F(WhereRepair, HugePagesAreMovedWhole) {
  constexpr std::uint64_t huge = os::fake_huge_page_bytes;
  os::FakeMachine machine = two_and_sixty_four();
  machine.memory.huge_pages = true;
  WhereProcess big(machine);
  void* address = nullptr;
  ASSERT_EQ(big.os.map_memory(6 * huge, address), 0);
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const std::uint64_t first = (start + huge - 1) / huge * huge;
  big.os.first_touch(reinterpret_cast<void*>(first), 4 * huge, NodeId(0));  // NOLINT
  sensing::Mapping mapping;
  mapping.first = first;
  mapping.end = first + 4 * huge;
  mapping.page_size = {page};
  mapping.pages = {{NodeId(0), 4 * huge / page}};
  mapping.transparent_huge = Bytes{4 * huge};
  big.survey.mappings = {mapping};
  const auto receipt =
      repair_pages(big.os, big.survey, request("interleave@0-1"), pace.pace(), nullptr);
  ASSERT_TRUE(receipt);
  expect_whole(*receipt);
  EXPECT_EQ(receipt->moved_bytes, 2 * huge);
  EXPECT_EQ(receipt->notes.size(), 1U) << "says that it counts in huge pages";
  EXPECT_EQ(big.nodes_at(reinterpret_cast<char*>(first + huge), 1), (Nodes{1}));  // NOLINT
}

TEST_F(WhereRepair, ARateIsKept) {
  process.add(Nodes(1024, 0));  // 4 MiB.
  RepairRequest slow = request("bind@1");
  slow.rate_mibs = 2;
  const RepairReceipt receipt = repair(slow);
  EXPECT_EQ(receipt.moved_bytes, 1024 * page);
  EXPECT_NEAR(receipt.seconds, 2.0, 0.01) << "all but nothing passes here but pauses";
  EXPECT_GE(pace.pauses, 19);
}

TEST_F(WhereRepair, AStopLeavesAReceiptOfWhatWasMoved) {
  const char* const heap = process.add(Nodes(1024, 0));
  RepairRequest slow = request("bind@1");
  slow.rate_mibs = 1;
  pace.stop_after = 4;
  const RepairReceipt receipt = repair(slow);
  EXPECT_TRUE(receipt.stopped);
  EXPECT_GT(receipt.moved_bytes, 0U);
  EXPECT_GT(receipt.not_tried_bytes, 0U);
  EXPECT_EQ(receipt.refused_bytes, 0U);
  const Nodes nodes = process.nodes_at(heap, 1024);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(nodes.begin(), nodes.end(), 1U)) * page,
            receipt.moved_bytes);
}

TEST_F(WhereRepair, EveryFailingCallIsInTheReceiptOrAnError) {
  for (int errno_value : {EPERM, ENOSYS, EINVAL, ENOMEM, EACCES, ESRCH, EFAULT, ENODEV, EIO}) {
    for (unsigned nth = 1;; ++nth) {
      WhereProcess fresh;
      fresh.add(Nodes(70, 0));
      fresh.add(Nodes(70, 64));
      fresh.os.fail_call("", nth, errno_value);
      const auto receipt =
          repair_pages(fresh.os, fresh.survey, request("bind@1"), pace.pace(), nullptr);
      if (!fresh.os.has_failed()) {
        EXPECT_GT(nth, 4U);
        break;
      }
      SCOPED_TRACE(fmt::format("call {}, errno {}", nth, errno_value));
      if (!receipt) {
        EXPECT_FALSE(receipt.error().next.empty());
        continue;
      }
      expect_whole(*receipt);
      EXPECT_EQ(receipt->ended, errno_value == ESRCH);
      EXPECT_TRUE(receipt->moved_bytes == 140 * page || receipt->refused_bytes > 0 ||
                  receipt->ended || receipt->vanished_bytes > 0);
    }
  }
}

TEST_F(WhereRepair, ThreadsAreBoundInTheirOrder) {
  process.survey.threads = {{10, "a", 'S', 1, CpuId(0), {}, {}},
                            {11, "b", 'S', 2, CpuId(0), {}, {}},
                            {12, "c", 'S', 3, CpuId(0), {}, {}}};
  const placement::ThreadMap map{{{CpuId(1)}, {CpuId(0)}}};
  for (const ThreadRepair& thread : repair_threads(process.os, process.survey, map, true)) {
    EXPECT_FALSE(thread.bound);
  }
  EXPECT_EQ(process.os.count("sched_setaffinity"), 0U) << "a dry run binds nothing";
  const auto repairs = repair_threads(process.os, process.survey, map, false);
  ASSERT_EQ(repairs.size(), 3U);
  for (std::size_t rank = 0; rank < repairs.size(); ++rank) {
    EXPECT_TRUE(repairs[rank].bound);
    CpuSet now;
    ASSERT_EQ(process.os.sched_getaffinity(repairs[rank].id, now), 0);
    EXPECT_EQ(now, map.of(rank));
  }
}

TEST_F(WhereRepair, AThreadThatIsNotBoundHasItsReason) {
  process.survey.threads = {{10, "a", 'S', 1, CpuId(0), {}, {}}};
  const placement::ThreadMap map{{{CpuId(1)}}};
  for (const char* call : {"sched_setaffinity", "sched_getaffinity"}) {
    for (int errno_value : {EPERM, EINVAL, ENOSYS, ESRCH}) {
      process.os.fail_call(call, 1, errno_value);
      const auto repairs = repair_threads(process.os, process.survey, map, false);
      ASSERT_EQ(repairs.size(), 1U);
      EXPECT_FALSE(repairs[0].bound);
      EXPECT_EQ(repairs[0].ended, errno_value == ESRCH);
      EXPECT_EQ(repairs[0].refusal.has_value(), errno_value != ESRCH);
    }
  }
  const placement::ThreadMap beyond{{{CpuId(1), CpuId(77)}}};
  const auto repairs = repair_threads(process.os, process.survey, beyond, false);
  EXPECT_FALSE(repairs[0].bound) << "the kernel left a CPU out";
  EXPECT_TRUE(repairs[0].refusal);
}

}  // namespace
}  // namespace homenode::actuation
