// Changes are undone whatever call fails, and whenever the balancer is killed.
#include "balancer/changes.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "process_files.h"

namespace homenode::balancer {
namespace {

constexpr TaskKey process{40, 100};
constexpr TaskKey second{41, 100};
constexpr std::size_t pages = 1500;

os::FakeMachine two_nodes() {
  os::FakeMachine machine;
  machine.nodes = {NodeId(0), NodeId(1)};
  machine.node_of_cpu = {
      {CpuId(0), NodeId(0)}, {CpuId(1), NodeId(0)}, {CpuId(2), NodeId(1)}, {CpuId(3), NodeId(1)}};
  return machine;
}

/// A process of two threads whose pages are on node 0.
class Scene {
 public:
  Scene() {
    set_task(os, {.pid = 40, .tid = 40});
    set_task(os, {.pid = 40, .tid = 41});
    os.set_file("/proc/sys/kernel/numa_balancing", "1\n");
    os.map_memory(pages * os.page_bytes(), memory);
    os.first_touch(memory, pages * os.page_bytes(), NodeId(0));
  }

  Changes changes(Journal journal = {}) {
    return Changes(
        {os}, [this](const std::string& text) { return save(text); }, journal);
  }
  Result<void> save(const std::string& text) {
    if (saves_until_failure == 0) return failed("the disk is full", "free some space", ENOSPC);
    if (saves_until_failure > 0) --saves_until_failure;
    saved.push_back(text);
    return {};
  }
  [[nodiscard]] std::vector<sensing::PageRange> ranges() const {
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    return {{first, 600, Bytes{4096}}, {first + 600 * 4096, pages - 600, Bytes{4096}}};
  }
  [[nodiscard]] std::size_t pages_on(NodeId node) const {
    std::size_t count = 0;
    for (std::size_t page = 0; page < pages; ++page) {
      count += os.node_of(static_cast<char*>(memory) + page * 4096) == node ? 1 : 0;
    }
    return count;
  }
  CpuSet cpus_of(pid_t thread) {
    CpuSet cpus;
    os.sched_getaffinity(thread, cpus);
    return cpus;
  }
  /// What a balancer does: binds both threads, moves all pages, switches the kernel's off.
  void change_all(Changes& changes) {
    (void)changes.stop_kernel_balancing();
    (void)changes.bind(process, process, node1);
    (void)changes.bind(process, second, node1);
    (void)changes.bind(process, second, {CpuId(3)});
    (void)changes.move(process, ranges(), NodeId(1), pages);
  }
  void expect_untouched(const std::string& when) {
    EXPECT_EQ(cpus_of(40), all) << when;
    EXPECT_EQ(cpus_of(41), all) << when;
    EXPECT_EQ(pages_on(NodeId(0)), pages) << when;
    std::string balancing;
    os.read_file("/proc/sys/kernel/numa_balancing", balancing);
    EXPECT_EQ(balancing, "1\n") << when;
  }

  const CpuSet all = CpuSet::range(CpuId(0), CpuId(3));
  const CpuSet node1{CpuId(2), CpuId(3)};
  os::Fake os{two_nodes()};
  void* memory = nullptr;
  int saves_until_failure = -1;
  std::vector<std::string> saved;
};

TEST(BalancerChanges, MoveWhatIsElsewhereOnceAndPutAllBack) {
  Scene scene;
  Changes changes = scene.changes();
  scene.change_all(changes);
  EXPECT_EQ(scene.cpus_of(41), CpuSet{CpuId(3)});
  EXPECT_EQ(scene.pages_on(NodeId(1)), pages);
  const auto again = changes.move(process, scene.ranges(), NodeId(1), pages);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->planned, 0U);
  EXPECT_EQ(changes.journal().pages.size(), 1U) << "one run";
  const auto restored = changes.restore();
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->threads, 2U);
  EXPECT_EQ(restored->pages, pages);
  EXPECT_TRUE(changes.journal().empty());
  scene.expect_untouched("after restore");
}

TEST(BalancerChanges, MovePagesInTurnAndPutThemBack) {
  Scene scene;
  Changes changes = scene.changes();
  const auto first = reinterpret_cast<std::uintptr_t>(scene.memory);
  const balance::Home home{NodeId(1), NodeId(0), NodeId(1)};
  const std::vector<balance::PageMove> moves{
      {first, (pages - 100) * 4096, Bytes{4096}, home, 1},
      {first + (pages - 100) * 4096, 100 * 4096, Bytes{4096}, {NodeId(1)}, 100}};
  for (const auto& [node, ranges] : ranges_by_node(moves)) {
    ASSERT_TRUE(changes.move(process, ranges, node, pages));
  }
  for (std::size_t page = 0; page < pages; ++page) {
    const std::uint64_t address = first + page * 4096;
    const bool on_1 =
        page >= pages - 100 || balance::node_of(home, address, Bytes{4096}) == NodeId(1);
    EXPECT_EQ(scene.os.node_of(reinterpret_cast<void*>(address)), NodeId(on_1 ? 1 : 0)) << page;
  }
  EXPECT_LE(changes.journal().pages.size(), 4U) << "runs of a stride";
  ASSERT_TRUE(changes.restore());
  EXPECT_EQ(scene.pages_on(NodeId(0)), pages);
}

TEST(BalancerChanges, TakeBackTheLatestPlanAlone) {
  Scene scene;
  Changes changes = scene.changes();
  changes.begin_plan(process);
  (void)changes.bind(process, second, scene.node1);
  (void)changes.move(process, scene.ranges(), NodeId(1), 700);
  changes.begin_plan(process);
  (void)changes.bind(process, process, scene.node1);
  (void)changes.bind(process, second, {CpuId(3)});
  (void)changes.move(process, scene.ranges(), NodeId(1), 800);
  EXPECT_EQ(scene.pages_on(NodeId(1)), pages);
  const auto taken = changes.take_back(process);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->threads, 2U);
  EXPECT_EQ(taken->pages, pages - 700);
  EXPECT_EQ(scene.cpus_of(40), scene.all);
  EXPECT_EQ(scene.cpus_of(41), scene.node1);
  EXPECT_EQ(scene.pages_on(NodeId(1)), 700U);
  ASSERT_TRUE(changes.restore());
  EXPECT_EQ(scene.cpus_of(41), scene.all);
  EXPECT_EQ(scene.pages_on(NodeId(0)), pages);
  EXPECT_TRUE(changes.journal().empty());
}

TEST(BalancerChanges, MoveNoMoreThanAskedFor) {
  Scene scene;
  Changes changes = scene.changes();
  const auto moved = changes.move(process, scene.ranges(), NodeId(1), 700);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->moved, 700U);
  EXPECT_EQ(scene.pages_on(NodeId(1)), 700U);
}

TEST(BalancerChanges, AreUndoneFromEveryStateThatAKillLeaves) {
  Scene whole;
  Changes changes = whole.changes();
  whole.change_all(changes);
  const std::size_t calls = whole.os.calls().size();
  // A kill at the nth call: every later one fails, as none comes.
  for (unsigned nth = 1; nth <= calls; ++nth) {
    Scene scene;
    Changes killed = scene.changes();
    scene.os.fail_call("", nth, ESRCH);
    for (std::size_t later = 0; later < calls; ++later) scene.os.then_fail_call("", 1, ESRCH);
    // Saving is not what stops: the file may hold more than was done, never less.
    scene.change_all(killed);
    scene.os.fail_call("", 0, 0);
    Journal left;
    if (!scene.saved.empty()) left = *journal_in(scene.saved.back());
    Changes next = scene.changes(left);
    ASSERT_TRUE(next.restore());
    scene.expect_untouched("killed at call " + std::to_string(nth));
  }
}

TEST(BalancerChanges, AreUndoneWhicheverCallFailsOnce) {
  for (const int error : {EPERM, ENOMEM, EINVAL, ESRCH}) {
    for (unsigned nth = 1;; ++nth) {
      Scene scene;
      Changes changes = scene.changes();
      scene.os.fail_call("", nth, error);
      scene.change_all(changes);
      if (!scene.os.has_failed()) break;
      ASSERT_TRUE(changes.restore());
      scene.expect_untouched("call " + std::to_string(nth) + " failed");
    }
  }
}

TEST(BalancerChanges, AreTriedAgainWhereUndoingIsRefused) {
  for (const char* call : {"sched_setaffinity", "move_pages", "write_file"}) {
    Scene scene;
    Changes changes = scene.changes();
    scene.change_all(changes);
    scene.os.fail_call(call, 1, EPERM);
    const auto first = changes.restore();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->refusals.size(), 1U) << call;
    EXPECT_FALSE(changes.journal().empty()) << call;
    ASSERT_TRUE(changes.restore());
    scene.expect_untouched(call);
  }
}

TEST(BalancerChanges, AreNotMadeWhereTheyCannotBeSaved) {
  for (int saves = 0; saves < 6; ++saves) {
    Scene scene;
    Changes changes = scene.changes();
    scene.saves_until_failure = saves;
    scene.change_all(changes);
    scene.saves_until_failure = -1;
    Changes next = scene.changes(scene.saved.empty() ? Journal{} : *journal_in(scene.saved.back()));
    ASSERT_TRUE(next.restore());
    scene.expect_untouched(std::to_string(saves) + " saves");
  }
}

TEST(BalancerChanges, LeaveAloneWhoseNumberIsUsedAgain) {
  Scene scene;
  Changes changes = scene.changes();
  scene.change_all(changes);
  set_task(scene.os, {.pid = 40, .tid = 40, .started = 900});
  const auto restored = changes.restore();
  ASSERT_TRUE(restored);
  EXPECT_EQ(scene.cpus_of(40), scene.node1);
  EXPECT_EQ(restored->pages, 0U);
  EXPECT_TRUE(changes.journal().empty());
  EXPECT_FALSE(*changes.bind(process, process, scene.all));
}

TEST(BalancerChanges, LeaveAloneWhatItsOwnerHasBoundSince) {
  Scene scene;
  Changes changes = scene.changes();
  scene.change_all(changes);
  scene.os.sched_setaffinity(40, {CpuId(0)});
  const auto restored = changes.restore();
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->changed_since, 1U);
  EXPECT_EQ(scene.cpus_of(40), CpuSet{CpuId(0)});
  EXPECT_EQ(scene.cpus_of(41), scene.all);
}

TEST(BalancerChanges, CountPagesThatTheKernelRefuses) {
  Scene scene;
  scene.os.fail_page(scene.memory, EACCES);
  Changes changes = scene.changes();
  const auto moved = changes.move(process, scene.ranges(), NodeId(1), pages);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->moved, pages - 1);
  EXPECT_EQ(moved->refused, 1U);
}

}  // namespace
}  // namespace homenode::balancer
