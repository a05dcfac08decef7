// Every system call under every function of the C interface, refused in every way that the kernel
// documents: an error in one line or pages that are told to be elsewhere, never a crash, and
// nothing left behind.
#include <fmt/format.h>
#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/id_list.h"
#include "fake_kernel.h"
#include "os/every_refusal.h"
#include "text.h"

namespace homenode::capi_tests {
namespace {

constexpr std::size_t page_bytes = os::fake_page_bytes;
constexpr std::size_t pages = 8;

struct Row {
  const char* name;
  std::function<int(hn_region*, char**)> run;
  std::set<std::string> dispensable = {};
  std::set<std::pair<std::string, int>> left_out = {};
};

int place(hn_region* region, const char* rule, char** error) {
  return hn_region_place(region, rule, error);
}

void touch(hn_region* region) {
  *static_cast<char*>(hn_region_address(region)) = 'x';
}

/// Made, used and given back.
int allocate(const char* rule, char** error) {
  hn_region* made = nullptr;
  const int status = hn_region_allocate(pages * page_bytes, rule, &made, error);
  EXPECT_EQ(made != nullptr, status == HN_OK || status == HN_INCOMPLETE);
  if (made != nullptr) touch(made);
  hn_region_free(made);
  return status;
}

/// Given back while what it has is armed for next touch.
int free_armed(char** error) {
  hn_region* made = nullptr;
  const int status = hn_region_allocate(pages * page_bytes, "next-touch", &made, error);
  if (made != nullptr) touch(made);
  hn_region_free(made);
  return status;
}

/// Two nodes with two CPUs each, read once: no call of it goes to the fake kernel.
const hn_machine* two_nodes() {
  static const std::unique_ptr<hn_machine, decltype(&hn_machine_free)> machine = [] {
    hn_machine* loaded = nullptr;
    EXPECT_EQ(hn_machine_load("synthetic:numa:2 core:2 pu:1", &loaded, nullptr), HN_OK);
    return std::unique_ptr<hn_machine, decltype(&hn_machine_free)>(loaded, &hn_machine_free);
  }();
  return machine.get();
}

/// The trial's region by a strategy, for a thread on the second node; and one that all threads use.
int apply_strategy(const char* name, hn_region* own, char** error) {
  hn_region* shared = nullptr;
  const int made = hn_region_allocate(pages * page_bytes, nullptr, &shared, error);
  int status = made;
  if (made == HN_OK) {
    const std::size_t user = 3;
    const hn_user_array arrays[] = {{shared, nullptr, 0}, {own, &user, 1}};
    char* threads = nullptr;
    status = hn_strategy_apply(name, two_nodes(), 4, arrays, 2, &threads, error);
    EXPECT_EQ(threads != nullptr, status == HN_OK || status == HN_INCOMPLETE);
    if (threads != nullptr) {
      EXPECT_STREQ(threads, "0,1,2,3");
    }
    hn_string_free(threads);
  }
  hn_region_free(shared);
  return status;
}

// Nodes are named in most of these rules, so that no file has to say which there are.
const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"allocate",
       [](hn_region*, char** error) { return allocate("cyclic@0-2,7", error); },
       {"read_file"}},
      {"allocate by a rule that names no nodes",
       [](hn_region*, char** error) { return allocate("cyclic", error); }},
      {"place",
       [](hn_region* region, char** error) { return place(region, "skew@0-2,7", error); },
       {"read_file"}},
      {"place by a policy",
       [](hn_region* region, char** error) { return place(region, "bind:home=1@0-1", error); },
       {"read_file"}},
      {"place interleaved",
       [](hn_region* region, char** error) { return place(region, "interleave@0-1", error); },
       {"read_file"}},
      {"place an array",
       [](hn_region* region, char** error) {
         const hn_array array{{pages, page_bytes, 1, 1}, 1, 2, HN_ORDER_C};
         return hn_region_place_array(region, &array, "rows@0-2,7", error);
       },
       {"read_file"}},
      {"next touch of a region that is then given back",
       [](hn_region*, char** error) { return free_armed(error); },
       {"read_file", "advise_memory"}},
      {"audit",
       [](hn_region* region, char** error) {
         char* json = nullptr;
         const int status = hn_region_audit(region, nullptr, 0, &json, error);
         EXPECT_EQ(json != nullptr, status == HN_OK);
         hn_string_free(json);
         return status;
       },
       {"read_file"}},
      {"use huge pages",
       [](hn_region* region, char** error) { return hn_region_use_huge_pages(region, 1, error); }},
      {"name",
       [](hn_region* region, char** error) { return hn_region_name(region, "grid", error); },
       {"name_memory"}},
      {"bind", [](hn_region*, char** error) { return hn_thread_bind("all", error); }},
      {"bind by rank", [](hn_region*, char** error) { return hn_thread_bind_rank("0", 5, error); }},
      {"where", [](hn_region*, char** error) { return hn_thread_where(nullptr, nullptr, error); }},
      {"a strategy that distributes",
       [](hn_region* region, char** error) { return apply_strategy("round-robin", region, error); },
       {"read_file"}},
      {"a strategy that binds",
       [](hn_region* region, char** error) { return apply_strategy("memory-bind", region, error); },
       {"read_file"}},
      {"place the thread",
       [](hn_region*, char** error) { return hn_thread_place("bind@1", error); },
       {"read_file"}},
  };
  return all;
}

/// A region on node 2 of a kernel with four nodes.
class CapiTrial final : public os::Trial {
 public:
  explicit CapiTrial(const Row& row) : row_(row) {
    kernel_->set_root("/no such folder");
    EXPECT_EQ(hn_region_allocate(pages * page_bytes, nullptr, &region_, nullptr), HN_OK);
    kernel_->first_touch(hn_region_address(region_), pages * page_bytes, NodeId(2));
  }
  CapiTrial(const CapiTrial&) = delete;
  CapiTrial& operator=(const CapiTrial&) = delete;
  ~CapiTrial() override { hn_region_free(region_); }

  os::Fake& kernel() override { return *kernel_.operator->(); }

  os::Outcome run() override {
    char* error = nullptr;
    const int status = row_.run(region_, &error);
    const std::string message = take(error);
    EXPECT_GE(status, HN_INCOMPLETE);
    EXPECT_EQ(message.empty(), status == HN_OK) << message;
    if (status == HN_OK) return {true, {}};
    return {false, {message}};
  }

  std::string result() override {
    std::string text = thread();
    auto* const first = static_cast<char*>(hn_region_address(region_));
    for (std::size_t i = 0; i < pages; ++i) {
      text += fmt::format(" {}", kernel_->node_of(first + i * page_bytes)->value());
    }
    return text;
  }

  std::string state() override {
    touch(region_);
    return fmt::format("{}, {} mappings", thread(), kernel_->mappings());
  }

 private:
  std::string thread() {
    CpuSet cpus;
    int mode = -1;
    NodeSet nodes;
    EXPECT_EQ(kernel_->sched_getaffinity(0, cpus), 0);
    EXPECT_EQ(kernel_->get_mempolicy(mode, nodes), 0);
    return fmt::format("CPUs {}, policy {} of {}, nodes", to_list(cpus), mode, to_list(nodes));
  }

  const Row& row_;
  FakeKernel kernel_;
  hn_region* region_ = nullptr;
};

TEST(Faults, AreToldInOneLineAndNothingIsLost) {
  std::set<std::string> calls;
  for (const Row& row : rows()) {
    os::refuse_every_call({row.name, [&row] { return std::make_unique<CapiTrial>(row); },
                           row.dispensable, row.left_out},
                          calls);
    if (HasFailure()) return;
  }
  for (const char* call : {"advise_memory", "getcpu", "map_memory", "mbind", "move_pages",
                           "read_file", "sched_setaffinity", "set_mempolicy", "unmap_memory"}) {
    EXPECT_TRUE(calls.contains(call)) << call;
  }
}

/// How much of a node is free is known or unknown, never wrong.
class FreeBytesTrial final : public os::Trial {
 public:
  FreeBytesTrial() {
    kernel_->set_root("/no such folder");
    kernel_->set_file("/sys/devices/system/node/node1/meminfo", "Node 1 MemFree:  512 kB\n");
  }
  os::Fake& kernel() override { return *kernel_.operator->(); }
  os::Outcome run() override {
    const std::int64_t bytes = hn_node_free_bytes(1);
    if (bytes == 512 * 1024) return {true, {}};
    EXPECT_EQ(bytes, -1);
    return {false, {"it is not known"}, false};
  }
  std::string result() override { return ""; }
  std::string state() override { return ""; }

 private:
  FakeKernel kernel_;
};

TEST(Faults, FreeMemoryThatCannotBeReadIsUnknown) {
  std::set<std::string> calls;
  os::refuse_every_call({"free bytes", [] { return std::make_unique<FreeBytesTrial>(); }}, calls);
  EXPECT_EQ(calls, std::set<std::string>{"read_file"});
}

TEST(Faults, ThreadsThatMayNotAskForTheirCpusHaveNone) {
  FakeKernel kernel;
  kernel->fail_call("sched_getaffinity", 1, EPERM);
  EXPECT_EQ(hn_thread_cpus(nullptr, 0), 0U);
  EXPECT_EQ(hn_thread_cpus(nullptr, 0), 8U);
}

TEST(Faults, WithoutTheListsOfNodesARuleHasToNameThem) {
  for (const char* file : {"/sys/devices/system/node/has_memory", "/proc/self/status"}) {
    FakeKernel kernel;
    kernel->set_file(file, "x\nMems_allowed_list:\tnonsense\n");
    hn_region* region = nullptr;
    char* error = nullptr;
    EXPECT_EQ(hn_region_allocate(2 * page_bytes, "cyclic", &region, &error), HN_FAILED);
    const std::string message = take(error);
    EXPECT_NE(message.find(file), std::string::npos) << message;
    EXPECT_EQ(hn_region_allocate(2 * page_bytes, "nonsense", &region, nullptr), HN_BAD_USAGE);
    EXPECT_EQ(hn_thread_place("interleave", nullptr), HN_FAILED);
    ASSERT_EQ(hn_region_allocate(2 * page_bytes, "cyclic@0,7", &region, nullptr), HN_OK);
    int nodes[2] = {HN_NO_NODE, HN_NO_NODE};
    EXPECT_EQ(hn_region_audit(region, nodes, 2, nullptr, nullptr), HN_OK);
    EXPECT_EQ(nodes[1], 7);
    hn_region_free(region);
  }
}

TEST(Faults, WithoutNumaThereIsOneNodeUnlessTheProcessMayUseMore) {
  FakeKernel kernel;
  hn_region* region = nullptr;
  kernel->fail_call("read_file", 1, ENOENT);
  EXPECT_EQ(hn_region_allocate(page_bytes, "cyclic", &region, nullptr), HN_FAILED);
  kernel->set_file("/proc/self/status", "Name:\tx\nMems_allowed_list:\t0\n");
  kernel->fail_call("read_file", 1, ENOENT);
  EXPECT_EQ(hn_region_allocate(page_bytes, "cyclic", &region, nullptr), HN_OK);
  EXPECT_TRUE(kernel->has_failed());
  hn_region_free(region);
}

/// More of them than next touch has places for: none is lost.
TEST(Faults, ARegionThatCannotBeDisarmedLosesNoPlace) {
  FakeKernel kernel;
  for (int i = 0; i < 300; ++i) {
    hn_region* region = nullptr;
    ASSERT_EQ(hn_region_allocate(page_bytes, "next-touch", &region, nullptr), HN_OK) << i;
    kernel->fail_call("protect_memory", 1, EACCES);
    hn_region_free(region);
    ASSERT_TRUE(kernel->has_failed());
  }
  EXPECT_EQ(kernel->mappings(), 0U);
}

/// Memory of the program's own goes on to work, and is disarmed by whoever comes next.
TEST(Faults, AdoptedMemoryThatCannotBeDisarmedStaysUsable) {
  FakeKernel kernel;
  void* memory = nullptr;
  ASSERT_EQ(kernel->map_memory(2 * page_bytes, memory), 0);
  const auto adopt = [&] {
    hn_region* region = nullptr;
    EXPECT_EQ(hn_region_adopt(memory, 2 * page_bytes, &region, nullptr), HN_OK);
    EXPECT_EQ(hn_region_place(region, "next-touch", nullptr), HN_OK);
    return region;
  };
  hn_region* region = adopt();
  kernel->fail_call("protect_memory", 1, EACCES);
  hn_region_free(region);
  ASSERT_TRUE(kernel->has_failed());
  *static_cast<char*>(memory) = 'x';
  region = adopt();
  *static_cast<char*>(memory) = 'y';
  hn_region_free(region);
  EXPECT_EQ(kernel->unmap_memory(memory, 2 * page_bytes), 0);
}

}  // namespace
}  // namespace homenode::capi_tests
