// Packets of Arm's Statistical Profiling Extension, as a CPU writes them.
#include "sensing/sources/pmu/spe_records.h"

#include <gtest/gtest.h>

#include <random>

#include "encoder.h"
#include "sensing/sources/pmu/spe_packets.h"

namespace homenode::sensing {
namespace {

using encoder::Spe;

constexpr std::uint64_t l1_access = 1U << 2;
constexpr std::uint64_t l1_refill = 1U << 3;
constexpr std::uint64_t last_access = 1U << 8;
constexpr std::uint64_t last_miss = 1U << 9;
constexpr std::uint64_t remote = 1U << 10;

SpeAccesses read(const Spe& spe, bool data_sources = false) {
  return read_spe_records({std::as_bytes(std::span(spe.bytes)), 0, data_sources});
}

/// A load of the program, up to what ends it.
Spe load_with(std::uint64_t events) {
  Spe spe;
  spe.address(0, 0x401000).events(events).operation(1, 0).address(2, 0x7f0000001040);
  return spe;
}

SampleLevel level_of_events(std::uint64_t events) {
  return read(load_with(events).timestamp(1)).accesses.at(0).kind.level;
}

SampleLevel level_of_source(std::uint64_t source) {
  return read(load_with(0).data_source(source).timestamp(1), true).accesses.at(0).kind.level;
}

TEST(spe_records, have_all_that_the_packets_say) {
  Spe spe;
  spe.padding(3)
      .context(4711)
      .address(0, 0x401000)
      .events(l1_access)
      .operation(1, 1)
      .latency(1, 9)
      .latency(0, 321)
      .address(2, 0x7f0000001040)
      .address(3, std::uint64_t{1} << 63 | 0x12345040)
      .timestamp(987654321);
  const SpeAccesses found = read(spe);
  ASSERT_EQ(found.accesses.size(), 1U);
  const SpeAccess& access = found.accesses[0];
  EXPECT_EQ(access.kind, (AccessKind{SampleOperation::write, SampleLevel::l1}));
  EXPECT_EQ(access.instruction, 0x401000U);
  EXPECT_EQ(access.address, 0x7f0000001040U);
  EXPECT_EQ(access.physical, 0x12345040U);
  EXPECT_EQ(access.timestamp, 987654321U);
  EXPECT_EQ(access.latency_cycles, 321U);
  EXPECT_EQ(access.context, 4711U);
  EXPECT_FALSE(access.kernel);
  EXPECT_EQ(found.others + found.bad_bytes, 0U);
}

TEST(spe_records, follow_each_other_and_end_with_either_packet) {
  Spe spe = load_with(l1_access);
  spe.end().align(5);
  spe.address(0, 0x402000).operation(1, 0).long_address(2, 0x7f0000002000).timestamp(2);
  spe.address(0, 0x403000).operation(2, 0).timestamp(3);      // A branch.
  spe.operation(1, 0).timestamp(4);                           // A load without an address.
  spe.address(0, 0x404000).operation(1, 0).address(2, 0x10);  // Cut.
  const SpeAccesses found = read(spe);
  ASSERT_EQ(found.accesses.size(), 2U);
  EXPECT_EQ(found.accesses[0].instruction, 0x401000U);
  EXPECT_EQ(found.accesses[0].timestamp, 0U);
  EXPECT_EQ(found.accesses[1].instruction, 0x402000U);
  EXPECT_EQ(found.accesses[1].address, 0x7f0000002000U);
  EXPECT_EQ(found.others, 2U);
  EXPECT_EQ(found.bad_bytes, 0U);
}

TEST(spe_records, of_the_kernel_and_with_tags_have_whole_addresses) {
  Spe spe;
  // Exception level 1, not secure.
  spe.address(0, std::uint64_t{1} << 63 | std::uint64_t{1} << 61 | 0x00ff'8000'1000'0000)
      .operation(1, 0)
      .address(2, 0x3cff'8000'0000'1000)
      .end();
  spe.operation(1, 0).address(2, 0x5a00'7f00'0000'1000).end();
  const SpeAccesses found = read(spe);
  ASSERT_EQ(found.accesses.size(), 2U);
  EXPECT_TRUE(found.accesses[0].kernel);
  EXPECT_EQ(found.accesses[0].instruction, 0xffff'8000'1000'0000U);
  EXPECT_EQ(found.accesses[0].address, 0xffff'8000'0000'1000U);
  EXPECT_FALSE(found.accesses[1].kernel);
  EXPECT_EQ(found.accesses[1].address, 0x0000'7f00'0000'1000U);
}

TEST(spe_records, have_a_level_by_their_events) {
  EXPECT_EQ(level_of_events(l1_access), SampleLevel::l1);
  EXPECT_EQ(level_of_events(l1_access | l1_refill), SampleLevel::unknown);
  EXPECT_EQ(level_of_events(l1_access | l1_refill | last_access), SampleLevel::l3);
  EXPECT_EQ(level_of_events(l1_refill | last_access | last_miss), SampleLevel::unknown);
  EXPECT_EQ(level_of_events(l1_refill | last_miss | remote), SampleLevel::remote_memory);
  EXPECT_EQ(level_of_events(0), SampleLevel::unknown);
}

TEST(spe_records, have_a_level_by_the_data_source_of_neoverse) {
  EXPECT_EQ(level_of_source(0x0), SampleLevel::l1);
  EXPECT_EQ(level_of_source(0x8), SampleLevel::l2);
  for (const std::uint64_t cluster : {0x9U, 0xaU, 0xbU, 0xcU}) {
    EXPECT_EQ(level_of_source(cluster), SampleLevel::l3);
  }
  EXPECT_EQ(level_of_source(0xd), SampleLevel::remote_cache);
  EXPECT_EQ(level_of_source(0xe), SampleLevel::local_memory);
  EXPECT_EQ(level_of_source(0x7), SampleLevel::unknown);
}

TEST(spe_records, count_bytes_that_begin_no_packet) {
  Spe spe;
  spe.bytes = {0xff, 0x80};
  Spe rest = load_with(l1_access).timestamp(1);
  spe.bytes.insert(spe.bytes.end(), rest.bytes.begin(), rest.bytes.end());
  const SpeAccesses found = read(spe);
  EXPECT_EQ(found.bad_bytes, 2U);
  EXPECT_EQ(found.accesses.size(), 1U);
}

TEST(spe_records, at_any_place_of_the_buffer_are_aligned_by_that_place) {
  Spe spe;
  spe.bytes = {0x25, 0x00};  // Up to the next multiple of 64.
  spe.bytes.resize(10, 0xff);
  Spe rest = load_with(l1_access).timestamp(1);
  spe.bytes.insert(spe.bytes.end(), rest.bytes.begin(), rest.bytes.end());
  const SpeAccesses found = read_spe_records({std::as_bytes(std::span(spe.bytes)), 64 + 54, false});
  EXPECT_EQ(found.bad_bytes, 0U);
  EXPECT_EQ(found.accesses.size(), 1U);
}

/// Random records, each with what it must be read as.
TEST(spe_records, are_read_back_as_they_were_encoded) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    Spe spe;
    std::vector<SpeAccess> expected;
    for (std::size_t count = random() % 9; count > 0; --count) {
      SpeAccess access;
      access.instruction = random() >> 12;
      access.address = 1 + (random() >> 17);
      access.physical = random() >> 12;
      access.timestamp = random();
      access.latency_cycles = static_cast<std::uint16_t>(random());
      access.context = static_cast<std::uint32_t>(random());
      const bool store = random() % 2 != 0;
      access.kind = {store ? SampleOperation::write : SampleOperation::read, SampleLevel::l1};
      spe.address(0, access.instruction).context(access.context).events(l1_access);
      spe.operation(1, store ? 1 : 0).latency(0, access.latency_cycles);
      spe.address(2, access.address).address(3, access.physical);
      if (random() % 2 != 0) spe.padding(1 + random() % 20);
      spe.timestamp(access.timestamp);
      if (random() % 2 != 0) spe.align(static_cast<unsigned>(1 + random() % 6));
      expected.push_back(access);
    }
    const SpeAccesses found = read(spe);
    ASSERT_EQ(found.accesses.size(), expected.size());
    EXPECT_EQ(found.bad_bytes + found.others, 0U);
    for (std::size_t index = 0; index < expected.size(); ++index) {
      EXPECT_EQ(found.accesses[index].instruction, expected[index].instruction);
      EXPECT_EQ(found.accesses[index].address, expected[index].address);
      EXPECT_EQ(found.accesses[index].physical, expected[index].physical);
      EXPECT_EQ(found.accesses[index].timestamp, expected[index].timestamp);
      EXPECT_EQ(found.accesses[index].latency_cycles, expected[index].latency_cycles);
      EXPECT_EQ(found.accesses[index].context, expected[index].context);
      EXPECT_EQ(found.accesses[index].kind, expected[index].kind);
    }
  }
}

TEST(spe_records, of_any_bytes_end) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 5000; ++round) {
    encoder::Bytes bytes(random() % 200);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const SpeAccesses found =
        read_spe_records({std::as_bytes(std::span(bytes)), random(), round % 2 == 0});
    EXPECT_LE(found.accesses.size() + found.others + found.bad_bytes, bytes.size());
    std::size_t offset = 0;
    while (offset < bytes.size()) {
      const SpePacket packet =
          read_spe_packet(std::as_bytes(std::span(bytes)).subspan(offset), offset);
      ASSERT_GE(packet.bytes, 1U);
      ASSERT_LE(packet.bytes, bytes.size() - offset);
      offset += packet.bytes;
    }
  }
}

}  // namespace
}  // namespace homenode::sensing
