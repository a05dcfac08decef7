// Every system call under every function of the C interface, failed in every way that matters: an
// error in one line or pages that are told to be elsewhere, never a crash, and nothing left behind.
#include <homenode/homenode.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "fake_kernel.h"
#include "text.h"

namespace homenode::capi_tests {
namespace {

constexpr std::size_t page = os::fake_page_bytes;

struct Function {
  const char* name;
  std::function<int(hn_region*, char**)> run;
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"allocate",
       [](hn_region*, char** error) {
         hn_region* made = nullptr;
         const int status = hn_region_allocate(8 * page, "cyclic", &made, error);
         EXPECT_EQ(made != nullptr, status == HN_OK || status == HN_INCOMPLETE);
         hn_region_free(made);
         return status;
       }},
      {"place",
       [](hn_region* region, char** error) { return hn_region_place(region, "skew", error); }},
      {"place by a policy",
       [](hn_region* region, char** error) {
         return hn_region_place(region, "bind:home=1@0-1", error);
       }},
      {"place an array",
       [](hn_region* region, char** error) {
         const hn_array array{{8, page, 1, 1}, 1, 2, HN_ORDER_C};
         return hn_region_place_array(region, &array, "rows", error);
       }},
      {"audit",
       [](hn_region* region, char** error) {
         char* json = nullptr;
         const int status = hn_region_audit(region, nullptr, 0, &json, error);
         EXPECT_EQ(json != nullptr, status == HN_OK);
         hn_string_free(json);
         return status;
       }},
      {"use huge pages",
       [](hn_region* region, char** error) { return hn_region_use_huge_pages(region, 1, error); }},
      {"bind", [](hn_region*, char** error) { return hn_thread_bind("all", error); }},
      {"where", [](hn_region*, char** error) { return hn_thread_where(nullptr, nullptr, error); }},
      {"place the thread",
       [](hn_region*, char** error) { return hn_thread_place("bind@1", error); }},
  };
  return all;
}

/// One attempt of which the nth call fails; false when there was no nth call.
bool attempt(const Function& function, unsigned nth, int errno_value) {
  FakeKernel kernel;
  hn_region* region = nullptr;
  EXPECT_EQ(hn_region_allocate(8 * page, nullptr, &region, nullptr), HN_OK);
  kernel->first_touch(hn_region_address(region), 8 * page, NodeId(2));
  kernel->fail_call("", nth, errno_value);
  char* error = nullptr;
  const int status = function.run(region, &error);
  const bool failed = kernel->has_failed();
  kernel->fail_call("", 0, 0);
  const std::string message = take(error);
  EXPECT_EQ(message.empty(), status == HN_OK) << message;
  EXPECT_TRUE(status == HN_OK || is_one_line(message)) << message;
  EXPECT_GE(status, HN_INCOMPLETE);
  hn_region_free(region);
  return failed;
}

TEST(Faults, AreToldInOneLineWhereverTheyHappen) {
  for (const Function& function : functions()) {
    unsigned calls = 0;
    for (const int errno_value : {EPERM, ENOSYS, EINVAL, ENOMEM, EFAULT, EACCES}) {
      unsigned nth = 1;
      while (attempt(function, nth, errno_value)) {
        SCOPED_TRACE(std::string(function.name) + ", call " + std::to_string(nth));
        ASSERT_LT(++nth, 100U);
      }
      calls += nth - 1;
    }
    EXPECT_GT(calls, 0U) << function.name;
  }
}

TEST(Faults, WithoutTheListsOfNodesARuleStillHasNodes) {
  FakeKernel kernel;
  for (const char* file : {"/sys/devices/system/node/has_memory", "/proc/self/status"}) {
    kernel->set_file(file, "nonsense\n");
  }
  hn_region* region = nullptr;
  ASSERT_EQ(hn_region_allocate(2 * page, "cyclic", &region, nullptr), HN_OK);
  int nodes[2] = {HN_NO_NODE, HN_NO_NODE};
  EXPECT_EQ(hn_region_audit(region, nodes, 2, nullptr, nullptr), HN_OK);
  EXPECT_EQ(nodes[1], 0);
  hn_region_free(region);
}

}  // namespace
}  // namespace homenode::capi_tests
