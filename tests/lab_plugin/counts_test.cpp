#include "lab/plugin/counts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace homenode::lab {
namespace {

using nlohmann::json;

/// Memory of two nodes: the upper GiB is the second.
struct TwoNodes {
  [[nodiscard]] unsigned bytes() const { return 8; }
  [[nodiscard]] std::optional<MemoryPlace> place_of(std::uint64_t address) const {
    if (address >> 32U != 0) return std::nullopt;
    return MemoryPlace{address >> 30U == 0 ? 0U : 1U, address};
  }
};

constexpr std::uint64_t process = 0x5000;
constexpr std::uint64_t upper_gib = std::uint64_t{1} << 30;
const std::vector nodes = {NodeId(0), NodeId(8)};
const CacheShape cache{4096, 4, 64};

/// Two vCPUs; thread 0x10 ran on both, thread 0x20 on the second.
std::vector<VcpuAccount> two_vcpus() {
  std::vector<VcpuAccount> vcpus;
  for (int i = 0; i < 2; ++i) {
    VcpuAccount& vcpu = vcpus.emplace_back(cache, nodes.size());
    vcpu.set_cr3(process);
    vcpu.open({Scope::process, process});
    vcpu.set_fs_base(0x10);
    vcpu.count<Privilege::user>(0, false, TwoNodes{});
    vcpu.count<Privilege::user>(upper_gib, true, TwoNodes{});
    vcpu.count<Privilege::user>(upper_gib, true, TwoNodes{});
  }
  vcpus[1].set_fs_base(0x20);
  vcpus[1].count<Privilege::user>(128, false, TwoNodes{});
  vcpus[1].count<Privilege::kernel>(256, true, TwoNodes{});
  vcpus[1].count<Privilege::user>(upper_gib << 10U, false, TwoNodes{});
  return vcpus;
}

RegionSummary summary() {
  RegionSummary result;
  result.number = 3;
  result.cache = cache;
  result.nodes = nodes;
  return result;
}

std::string line_of(const RegionSummary& region, const Ranks& ranks) {
  const std::vector<VcpuAccount> vcpus = two_vcpus();
  return counts_line(region, vcpus, ranks, number_threads(vcpus, nullptr), nullptr);
}

TEST(CountsLine, SaysEverythingAboutARegion) {
  const Ranks ranks = {{{process, 0x20}, 7}, {{0x6000, 0x10}, 9}};
  const std::string line = line_of(summary(), ranks);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(json::parse(line), json::parse(R"({
    "schema": "homenode.counts/2", "roi": 3, "ended_by": "marker", "provisional": false, "process": "cr3",
    "registers": true, "line_bytes": 64, "cache": {"bytes": 4096, "ways": 4}, "nodes": [0, 8],
    "vcpus": [
      {"vcpu": 0,
       "user": {"loads": [1, 0], "stores": [0, 1], "references": {"loads": 1, "stores": 2}},
       "kernel": {"loads": [0, 0], "stores": [0, 0], "references": {"loads": 0, "stores": 0}},
       "time": null},
      {"vcpu": 1,
       "user": {"loads": [2, 0], "stores": [0, 1], "references": {"loads": 3, "stores": 2}},
       "kernel": {"loads": [0, 0], "stores": [1, 0], "references": {"loads": 0, "stores": 1}},
       "time": null}],
    "threads": [
      {"id": 1, "fs_base": "0x10", "rank": null, "vcpus": [0, 1],
       "user": {"loads": [2, 0], "stores": [0, 2]}, "time": null},
      {"id": 0, "fs_base": "0x20", "rank": 7, "vcpus": [1], "user": {"loads": [1, 0], "stores": [0, 0]},
       "time": null}],
    "outside": 1, "time": null})"));
}

TEST(CountsLine, NamesNoThreadsWithoutRegisters) {
  RegionSummary without = summary();
  without.registers = false;
  without.scope = Scope::unknown;
  without.ended_by_marker = false;
  const json line = json::parse(line_of(without, {}));
  EXPECT_EQ(line["threads"], json::array());
  EXPECT_EQ(line["registers"], false);
  EXPECT_EQ(line["process"], "unknown (QEMU gives plugins no registers)");
  EXPECT_EQ(line["ended_by"], "exit");
}

TEST(CountsLine, SaysWhenEveryProcessWasCounted) {
  RegionSummary everyone = summary();
  everyone.scope = Scope::all;
  EXPECT_EQ(json::parse(line_of(everyone, {}))["process"], "all");
}

}  // namespace
}  // namespace homenode::lab
