#include "lab/plugin/sample_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "processes.h"

namespace homenode::lab {
namespace {

using nlohmann::json;

constexpr std::uint64_t second_gib = std::uint64_t{1} << 30;

/// Memory of two nodes: the upper GiB is the second.
struct NodePerGib {
  [[nodiscard]] unsigned bytes() const { return 8; }
  [[nodiscard]] std::optional<MemoryPlace> place_of(std::uint64_t address) const {
    return MemoryPlace{address >> 30U == 0 ? 0U : 1U, address + 0x100000};
  }
};

std::uint32_t tid_of(std::uint64_t fs_base) {
  return fs_base == 0x20 ? 0 : static_cast<std::uint32_t>(fs_base + 1000);
}

struct Block {
  std::string kind;
  std::string content;
};

/// The blocks of a text that must consist of whole ones.
std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks;
  while (!text.empty()) {
    SampleBlockHeader header;
    std::memcpy(&header, text.data(), sizeof header);
    blocks.push_back(
        {std::string(header.kind, 4), std::string(text.substr(sizeof header, header.bytes))});
    text.remove_prefix(sizeof header + header.bytes);
  }
  return blocks;
}

std::vector<Sample> samples_of(SampleBlocks blocks) {
  std::vector<Sample> samples;
  for (std::string block; !(block = blocks.next()).empty();) {
    for (const Block& one : blocks_of(block)) {
      EXPECT_EQ(one.kind, "SMPL");
      const std::size_t before = samples.size();
      samples.resize(before + one.content.size() / sizeof(Sample));
      std::memcpy(samples.data() + before, one.content.data(), one.content.size());
    }
  }
  return samples;
}

class SampleBlocksTest : public ::testing::Test {
 protected:
  SampleBlocksTest() : budget_(std::uint64_t{1} << 30) {
    for (int i = 0; i < 2; ++i) {
      VcpuAccount& vcpu = vcpus_.emplace_back(CacheShape{4096, 4, 64}, nodes_.size());
      vcpu.count_units(12, budget_, tid_of);
      vcpu.set_cr3(ours);
      vcpu.open({Scope::all, theirs});
      vcpu.set_fs_base(0x10);
    }
  }

  UnitBudget budget_;
  std::vector<NodeId> nodes_ = {NodeId(0), NodeId(8)};
  std::vector<VcpuAccount> vcpus_;
};

TEST_F(SampleBlocksTest, HaveWhatTheAccountCounted) {
  VcpuAccount& vcpu = vcpus_[1];
  vcpu.count<Privilege::user>(0x3000, false, NodePerGib{});
  vcpu.count<Privilege::user>(0x3040, false, NodePerGib{});
  vcpu.count<Privilege::user>(second_gib + 0x80, true, NodePerGib{});
  vcpu.count<Privilege::kernel>(0x5000, false, NodePerGib{});
  const ThreadNumbers numbers = number_threads(vcpus_, nullptr);
  const auto samples = samples_of({7, 1, vcpu, numbers, nodes_});
  ASSERT_EQ(samples.size(), 2U);
  const Sample& load = samples[samples[0].operation == SampleOperation::read ? 0 : 1];
  const Sample& store = samples[samples[0].operation == SampleOperation::read ? 1 : 0];
  EXPECT_EQ(load.address, 0x3000U);
  EXPECT_EQ(load.physical, 0x103000U);
  EXPECT_EQ(load.weight, 2U);
  EXPECT_EQ(load.memory_node, 0U);
  EXPECT_EQ(load.cpu, 1U);
  EXPECT_EQ(load.cpu_node, unknown_sample_id);
  EXPECT_EQ(load.round, 7U);
  EXPECT_EQ(load.page_shift, 12U);
  EXPECT_EQ(load.source, SampleSource::lab);
  EXPECT_EQ(load.flags, sample_counts_uses);
  EXPECT_EQ(load.instruction, 0U);
  EXPECT_EQ(store.instruction, 2U);  // Uses of the thread before its first one of this unit.
  EXPECT_EQ(store.operation, SampleOperation::write);
  EXPECT_EQ(store.address, second_gib);
  EXPECT_EQ(store.weight, 1U);
  EXPECT_EQ(store.memory_node, 8U);
}

TEST_F(SampleBlocksTest, AreApartForWhatWasDoneBeforeOtherThreadsCame) {
  FirstUsers first;
  VcpuAccount vcpu({4096, 4, 64}, nodes_.size());
  vcpu.count_units(12, budget_, tid_of, &first);
  vcpu.set_cr3(ours);
  vcpu.open({Scope::all, theirs});
  const auto use = [&](std::uint64_t fs_base, std::uint64_t address, bool store) {
    vcpu.set_fs_base(fs_base);
    vcpu.count<Privilege::user>(address, store, NodePerGib{});
  };
  use(0x10, 0x3000, true);
  use(0x10, 0x3040, true);
  use(0x30, 0x3080, false);
  use(0x10, 0x30c0, true);
  const ThreadNumbers numbers = number_threads({&vcpu, 1}, nullptr);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> weights;
  for (const Sample& sample : samples_of({1, 0, vcpu, numbers, nodes_})) {
    weights[{sample.tid, sample.flags}] += sample.weight;
  }
  const auto filler = static_cast<std::uint32_t>(numbers.at({ours, 0x10}));
  const auto user = static_cast<std::uint32_t>(numbers.at({ours, 0x30}));
  EXPECT_EQ(weights.size(), 3U);
  EXPECT_EQ((weights[{filler, sample_counts_uses | sample_alone}]), 2U);
  EXPECT_EQ((weights[{filler, sample_counts_uses}]), 1U);
  EXPECT_EQ((weights[{user, sample_counts_uses}]), 1U);
}

TEST_F(SampleBlocksTest, AreApartForWhatCachesHad) {
  VcpuAccount& vcpu = vcpus_[0];
  const std::uint64_t address = 0x3000;
  for (const bool from_cache : {true, false, true}) {
    vcpu.add_miss(Privilege::user, {address, address, 0, true, true, from_cache});
  }
  const ThreadNumbers numbers = number_threads(vcpus_, nullptr);
  std::map<std::uint32_t, std::uint32_t> weights;
  for (const Sample& sample : samples_of({1, 0, vcpu, numbers, nodes_})) {
    EXPECT_EQ(sample.operation, SampleOperation::write);
    weights[sample.flags] += sample.weight;
  }
  constexpr std::uint32_t prefetched = sample_counts_uses | sample_prefetched;
  const std::map<std::uint32_t, std::uint32_t> wanted = {{prefetched, 1U},
                                                         {prefetched | sample_from_cache, 2U}};
  EXPECT_EQ(weights, wanted);
}

TEST_F(SampleBlocksTest, AreApartForWhatWasPrefetched) {
  VcpuAccount& vcpu = vcpus_[0];
  const std::uint64_t address = 0x3000;
  for (const bool prefetched : {true, false, true, true}) {
    vcpu.add_miss(Privilege::user, {address, address, 0, false, prefetched});
  }
  vcpu.add_miss(Privilege::user, {address, address, 0, true, false});
  const ThreadNumbers numbers = number_threads(vcpus_, nullptr);
  std::map<std::pair<SampleOperation, std::uint32_t>, std::uint32_t> weights;
  for (const Sample& sample : samples_of({1, 0, vcpu, numbers, nodes_})) {
    weights[{sample.operation, sample.flags}] += sample.weight;
  }
  EXPECT_EQ(weights.size(), 3U);
  EXPECT_EQ((weights[{SampleOperation::read, sample_counts_uses | sample_prefetched}]), 3U);
  EXPECT_EQ((weights[{SampleOperation::read, sample_counts_uses}]), 1U);
  EXPECT_EQ((weights[{SampleOperation::write, sample_counts_uses}]), 1U);
}

TEST_F(SampleBlocksTest, AreSplitWhereACountIsTooLargeForOne) {
  std::uint64_t sum = 0;
  VcpuAccount& vcpu = vcpus_[0];
  vcpu.count<Privilege::user>(0x3000, false, NodePerGib{});
  // No test makes 2^32 misses; the entry is made to look as if it had.
  auto& entries = const_cast<std::vector<UnitCounts::Entry>&>(vcpu.units()->entries());
  for (auto& one : entries) {
    if (one.used()) one.uses[0] = 0x2'0000'0005;
  }
  const ThreadNumbers numbers = number_threads(vcpus_, nullptr);
  const auto samples = samples_of({1, 0, vcpu, numbers, nodes_});
  EXPECT_EQ(samples.size(), 3U);
  for (const Sample& sample : samples) sum += sample.weight;
  EXPECT_EQ(sum, 0x2'0000'0005U);
}

TEST_F(SampleBlocksTest, AddUpToTheCountsOfThreads) {
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    VcpuAccount& vcpu = vcpus_[i % 2];
    vcpu.set_fs_base(0x10 + i % 3 * 0x10);
    vcpu.count<Privilege::user>(i * 4096 % (second_gib * 2), i % 5 == 0, NodePerGib{});
  }
  const ThreadNumbers numbers = number_threads(vcpus_, nullptr);
  for (std::uint16_t cpu = 0; cpu < 2; ++cpu) {
    std::map<std::tuple<std::uint32_t, bool, unsigned>, std::uint64_t> sums;
    for (const Sample& sample : samples_of({1, cpu, vcpus_[cpu], numbers, nodes_})) {
      sums[{sample.tid, sample.operation == SampleOperation::write, sample.memory_node}] +=
          sample.weight;
    }
    for (const auto& thread : vcpus_[cpu].threads()) {
      const auto tid = static_cast<std::uint32_t>(numbers.at(thread->key));
      for (const bool store : {false, true}) {
        EXPECT_EQ((sums[{tid, store, 0}]), thread->misses.at(store, 0));
        EXPECT_EQ((sums[{tid, store, 8}]), thread->misses.at(store, 1));
      }
    }
  }
}

TEST_F(SampleBlocksTest, NameThreadsAndProcesses) {
  vcpus_[0].count<Privilege::user>(0x3000, false, NodePerGib{});
  vcpus_[0].set_fs_base(0x20);
  vcpus_[0].count<Privilege::user>(0x4000, false, NodePerGib{});
  vcpus_[1].set_cr3(theirs);
  vcpus_[1].set_fs_base(0x30);
  vcpus_[1].count<Privilege::user>(0x4000, false, NodePerGib{});
  const ThreadNumbers numbers = number_threads(vcpus_, nullptr);
  const auto blocks = blocks_of(threads_block(2, {Scope::all, theirs}, vcpus_, numbers));
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].kind, "JSON");
  const json found = json::parse(blocks[0].content);
  EXPECT_EQ(found["kind"], "lab_threads");
  EXPECT_EQ(found["region"], 2);
  EXPECT_EQ(found["lost"], 0);
  ASSERT_EQ(found["threads"].size(), 3U);
  std::map<std::uint64_t, json> by_pointer;
  for (const json& thread : found["threads"]) by_pointer[thread["fs_base"]] = thread;
  EXPECT_EQ(by_pointer[0x10]["tid"], 1016);
  EXPECT_EQ(by_pointer[0x20]["tid"], 0);
  EXPECT_EQ(by_pointer[0x10]["process"], by_pointer[0x20]["process"]);
  EXPECT_EQ(by_pointer[0x30]["process"], found["owner"]);
  EXPECT_NE(by_pointer[0x30]["process"], by_pointer[0x20]["process"]);
}

TEST_F(SampleBlocksTest, AreNoneWhereNobodyWantsThem) {
  VcpuAccount vcpu({4096, 4, 64}, nodes_.size());
  vcpu.open({Scope::all, ours});
  vcpu.count<Privilege::user>(0, false, NodePerGib{});
  EXPECT_EQ(vcpu.units(), nullptr);
  SampleBlocks blocks(1, 0, vcpu, number_threads({&vcpu, 1}, nullptr), nodes_);
  EXPECT_EQ(blocks.next(), "");
}

}  // namespace
}  // namespace homenode::lab
