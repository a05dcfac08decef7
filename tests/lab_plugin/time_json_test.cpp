#include "lab/plugin/time_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace homenode::lab {
namespace {

using nlohmann::json;

constexpr std::uint64_t node_bytes = std::uint64_t{1} << 24;
constexpr ThreadKey first_thread{0x5000, 0x10};

/// Nodes 0 and 8 with one vCPU each; 1 ns an instruction, 100 ns to each memory.
constexpr std::string_view machine = R"(homenode.timing 1
frequency_mhz 1000
cpi_milli 1000
window 192
misses 10
prefetches 8
l1 4096 4
cache_to_cache 60000
pause 25000
wake_up 1500000
nodes 0 8
vcpu_nodes 0 8
latency 0 0 100000
latency 0 8 100000
latency 8 0 100000
latency 8 8 100000
controller 0 62500 62500
controller 8 62500 62500
pair 0 8 31250 31250
epoch_ns 5000
)";

class Flat final : public Translation {
  [[nodiscard]] std::optional<std::uint64_t> physical(std::uint64_t address) const override {
    return address;
  }
  [[nodiscard]] std::optional<unsigned> node_of(std::uint64_t physical) const override {
    return physical < node_bytes ? 0U : 1U;
  }
  [[nodiscard]] unsigned bytes() const override { return 8; }
};

/// A region in which the first vCPU ran 50 instructions and read a line of each node.
class Region50 {
 public:
  Region50()
      : nodes_(
            std::vector<NodeRange>{{NodeId(0), 0, node_bytes}, {NodeId(8), node_bytes, node_bytes}},
            AddressForm::guest_physical),
        time_(Timekeeper::create(*parse_timing(machine), nodes_, 2, 2 * node_bytes)) {
    Timekeeper& time = **time_;
    time.open(
        {Scope::process, first_thread.cr3},
        [](unsigned i) { return i == 0 ? first_thread : ThreadKey{}; },
        [this](unsigned i) { return &instructions_[i]; });
    Core& core = time.vcpu(0).core();
    const AccessShape ordered = AccessShape().ordered();
    for (int i = 0; i < 3; ++i) core.access<false>(0, ordered, Flat());
    core.access<false>(node_bytes, ordered, Flat());
    instructions_[0] = 50;
    time.close();
  }
  [[nodiscard]] const Timekeeper* time() const { return time_->get(); }

 private:
  NodeMap nodes_;
  Result<std::unique_ptr<Timekeeper>> time_;
  std::array<std::uint64_t, 2> instructions_{};
};

TEST(TimeJson, IsNullWhereNoTimeWasModelled) {
  std::string text;
  append_time(text, nullptr);
  append_vcpu_time(text, nullptr, 0);
  append_thread_time(text, std::nullopt, {}, {});
  EXPECT_EQ(text, "nullnullnull");
}

TEST(TimeJson, SaysWhatARegionUsed) {
  const Region50 region;
  std::string text;
  append_time(text, region.time());
  // 64 bytes at 62500 and at 31250 MiB/s.
  EXPECT_EQ(json::parse(text), json::parse(R"({
    "modelled": true, "ps": 250000, "epoch_ns": 5000, "late_waits": 0,
    "controllers": [{"node": 0, "read_lines": 1, "write_lines": 0, "busy_ps": 976},
                    {"node": 8, "read_lines": 1, "write_lines": 0, "busy_ps": 976}],
    "links": [{"from": 8, "to": 0, "lines": 1, "busy_ps": 1953, "shared": false}]})"))
      << text;
}

TEST(TimeJson, SaysWhatAVcpuDid) {
  const Region50 region;
  std::string text;
  append_vcpu_time(text, region.time(), 0);
  EXPECT_EQ(json::parse(text), json::parse(R"({
    "ps": 250000, "busy_ps": 250000, "instructions": 50, "stall_ps": 200000,
    "latency_ps": 200000, "in_flight_ps": 200000,
    "l1": {"hits": 2, "misses": 2}, "l2": {"hits": 0, "misses": 2}, "l3": {"hits": 0, "misses": 2},
    "cache_to_cache": 0, "memory_reads": [1, 1], "memory_writes": [0, 0]})"))
      << text;
  text.clear();
  append_vcpu_time(text, region.time(), 1);
  EXPECT_EQ(json::parse(text)["busy_ps"], 0);
}

TEST(TimeJson, SaysWhenAThreadRan) {
  ThreadTime time;
  time.busy_ps = 1;
  time.first_ps = 2;
  time.last_ps = ~std::uint64_t{0};
  time.instructions = 4;
  std::string text;
  append_thread_time(text, time, {}, std::vector<unsigned>{0, 1});
  EXPECT_EQ(text,
            R"({"busy_ps":1,"first_ps":2,"last_ps":18446744073709551615,"instructions":4,)"
            R"("computed_ps":1,"memory_ps":[0,0],"other_cache_ps":0,"l3_ps":0,"own_cache_ps":0,)"
            R"("kernel_ps":0,"spun_ps":0,"slept_ps":0,"ready_ps":0,"sleeps":[]})");
}

TEST(TimeJson, SaysWhatAThreadSpentItsTimeOn) {
  ThreadTime time;
  time.busy_ps = 1000;
  time.kernel_ps = 100;
  time.spun_ps = 200;
  time.stalls_ps = {1, 2, 4, 8, 16, 32};  // Three nodes, then the caches.
  time.ready_ps = 7;
  const Wake wake{5, first_thread, 3};
  const Wake timer{5, std::nullopt, 1};
  time.sleep({SystemCall::futex, 0x7f00, 128}, 40, &wake);
  time.sleep({SystemCall::futex, 0x7f00, 128}, 2, nullptr);
  time.sleep({SystemCall::none, 0, 0}, 1, &timer);
  std::string text;
  // The region's nodes are the model's third and first.
  append_thread_time(text, time, {{first_thread, 9}}, std::vector<unsigned>{2, 0});
  const json value = json::parse(text);
  EXPECT_EQ(value["computed_ps"], 1000 - 100 - 200 - 63);
  EXPECT_EQ(value["memory_ps"], json::parse("[4, 1]"));
  EXPECT_EQ(value["other_cache_ps"], 8);
  EXPECT_EQ(value["l3_ps"], 16);
  EXPECT_EQ(value["own_cache_ps"], 32);
  EXPECT_EQ(value["kernel_ps"], 100);
  EXPECT_EQ(value["spun_ps"], 200);
  EXPECT_EQ(value["slept_ps"], 43);
  EXPECT_EQ(value["ready_ps"], 7);
  EXPECT_EQ(value["sleeps"], json::parse(R"([
    {"system_call": 202, "futex": {"operation": 128, "address": "0x7f00"}, "times": 2,
     "slept_ps": 42, "most_at_once": 3, "woken_by_none": 0,
     "woken_by": [{"thread": 9, "times": 1}]},
    {"system_call": null, "futex": null, "times": 1, "slept_ps": 1, "most_at_once": 1,
     "woken_by_none": 1, "woken_by": []}])"))
      << text;
}

}  // namespace
}  // namespace homenode::lab
