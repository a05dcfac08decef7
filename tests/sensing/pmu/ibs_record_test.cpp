// The registers of AMD's instruction-based sampling, as the kernel hands them on.
#include "sensing/sources/pmu/ibs_record.h"

#include <gtest/gtest.h>

#include <random>

#include "encoder.h"

namespace homenode::sensing {
namespace {

using encoder::Ibs;

constexpr std::uint64_t ibs_load = 1U << 0;
constexpr std::uint64_t ibs_store = 1U << 1;
constexpr std::uint64_t ibs_missed_l1 = 1U << 7;
constexpr std::uint64_t ibs_uncacheable = 1U << 14;
constexpr std::uint64_t ibs_no_buffer = 1U << 16;
constexpr std::uint64_t ibs_valid = 1U << 17;
constexpr std::uint64_t ibs_physical_valid = 1U << 18;
constexpr std::uint64_t ibs_missed_l2 = 1U << 20;
constexpr std::uint64_t latency_300 = std::uint64_t{300} << 32;
constexpr std::uint32_t zen4 = 1U << 11;

std::optional<RecordedAccess> read_bytes(const encoder::Bytes& raw, bool erratum) {
  return read_ibs_sample(std::as_bytes(std::span(raw)), erratum);
}

/// A load behind the second cache from a numbered source.
SampleLevel level_from(std::uint64_t source, bool remote, std::uint32_t capabilities) {
  Ibs ibs;
  ibs.capabilities = capabilities;
  ibs.data3 = ibs_load | ibs_valid | ibs_missed_l1 | ibs_missed_l2;
  ibs.data2 = (source & 7) | (remote ? 16U : 0U) | (source >> 3) << 6;
  const auto access = read_bytes(ibs.bytes(), false);
  return access ? access->kind.level : SampleLevel::unknown;
}

TEST(ibs_record, of_a_load_has_its_addresses_and_latency) {
  Ibs ibs;
  ibs.data3 =
      ibs_load | ibs_valid | ibs_physical_valid | ibs_missed_l1 | ibs_missed_l2 | latency_300;
  ibs.data2 = 3;
  ibs.address = 0x7f0000001040;
  ibs.physical = 0x12345040;
  const auto access = read_bytes(ibs.bytes(), false);
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(access->kind, (AccessKind{SampleOperation::read, SampleLevel::local_memory}));
  EXPECT_EQ(access->address, 0x7f0000001040U);
  EXPECT_EQ(access->physical, 0x12345040U);
  EXPECT_EQ(access->latency_cycles, 300U);
}

TEST(ibs_record, of_a_store_has_no_latency_and_no_source_behind_the_second_cache) {
  Ibs ibs;
  ibs.data3 = ibs_store | ibs_valid | ibs_missed_l1 | ibs_missed_l2 | latency_300;
  ibs.data2 = 3;
  ibs.address = 0x1000;
  ibs.physical = 0x99;  // Not valid.
  const auto access = read_bytes(ibs.bytes(), false);
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(access->kind, (AccessKind{SampleOperation::write, SampleLevel::unknown}));
  EXPECT_EQ(access->latency_cycles, 0U);
  EXPECT_EQ(access->physical, 0U);
}

TEST(ibs_record, of_an_operation_that_reads_and_writes_is_a_write) {
  Ibs ibs;
  ibs.data3 = ibs_load | ibs_store | ibs_valid;
  EXPECT_EQ(read_bytes(ibs.bytes(), false)->kind,
            (AccessKind{SampleOperation::write, SampleLevel::l1}));
}

TEST(ibs_record, of_other_operations_or_without_an_address_is_none) {
  Ibs ibs;
  ibs.data3 = ibs_valid;
  EXPECT_FALSE(read_bytes(ibs.bytes(), false).has_value());
  ibs.data3 = ibs_load;
  EXPECT_FALSE(read_bytes(ibs.bytes(), false).has_value());
}

TEST(ibs_record, names_the_cache_that_was_hit) {
  Ibs ibs;
  ibs.data3 = ibs_load | ibs_valid;
  EXPECT_EQ(read_bytes(ibs.bytes(), false)->kind.level, SampleLevel::l1);
  ibs.data3 |= ibs_missed_l1;
  EXPECT_EQ(read_bytes(ibs.bytes(), false)->kind.level, SampleLevel::l2);
  ibs.data3 |= ibs_uncacheable;
  EXPECT_EQ(read_bytes(ibs.bytes(), false)->kind.level, SampleLevel::unknown);
}

TEST(ibs_record, has_the_sources_of_zen_to_zen_3) {
  EXPECT_EQ(level_from(2, false, 0), SampleLevel::l3);
  EXPECT_EQ(level_from(3, false, 0), SampleLevel::local_memory);
  EXPECT_EQ(level_from(3, true, 0), SampleLevel::remote_memory);
  EXPECT_EQ(level_from(4, true, 0), SampleLevel::remote_cache);
  EXPECT_EQ(level_from(7, false, 0), SampleLevel::unknown);
  EXPECT_EQ(level_from(0, false, 0), SampleLevel::unknown);
}

TEST(ibs_record, has_the_sources_of_zen_4) {
  EXPECT_EQ(level_from(1, false, zen4), SampleLevel::l3);
  EXPECT_EQ(level_from(2, false, zen4), SampleLevel::l3);
  EXPECT_EQ(level_from(3, false, zen4), SampleLevel::local_memory);
  EXPECT_EQ(level_from(3, true, zen4), SampleLevel::remote_memory);
  EXPECT_EQ(level_from(5, false, zen4), SampleLevel::remote_cache);
  EXPECT_EQ(level_from(6, true, zen4), SampleLevel::remote_memory);
  EXPECT_EQ(level_from(8, false, zen4), SampleLevel::remote_memory);
  EXPECT_EQ(level_from(12, false, zen4), SampleLevel::remote_memory);
  EXPECT_EQ(level_from(31, true, zen4), SampleLevel::unknown);
}

TEST(ibs_record, believes_no_register_that_the_erratum_makes_wrong) {
  Ibs ibs;
  ibs.data3 = ibs_load | ibs_valid | ibs_missed_l1 | ibs_no_buffer;
  ibs.data2 = 3;
  EXPECT_EQ(read_bytes(ibs.bytes(), false)->kind.level, SampleLevel::l2);
  EXPECT_EQ(read_bytes(ibs.bytes(), true)->kind.level, SampleLevel::unknown);
}

TEST(ibs_record, that_is_cut_or_random_is_read_or_none) {
  Ibs ibs;
  ibs.data3 = ibs_load | ibs_valid;
  const encoder::Bytes whole = ibs.bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const encoder::Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(read_bytes(cut, false).has_value(), length >= 4 + 7 * 8);
  }
  std::mt19937_64 random(3);
  for (int round = 0; round < 5000; ++round) {
    encoder::Bytes bytes(random() % 100);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    read_bytes(bytes, round % 2 == 0);
  }
}

}  // namespace
}  // namespace homenode::sensing
