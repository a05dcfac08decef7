// The kernel's word on where data came from, field by field.
#include "sensing/sources/pmu/data_source.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace homenode::sensing {
namespace {

constexpr std::uint64_t load = PERF_MEM_S(OP, LOAD);

SampleLevel level_of(std::uint64_t word) {
  return kind_of_data_source(load | word).level;
}

TEST(data_source, says_whether_it_was_a_load_or_a_store) {
  const auto operation = [](std::uint64_t word) { return kind_of_data_source(word).operation; };
  EXPECT_EQ(operation(PERF_MEM_S(OP, LOAD)), SampleOperation::read);
  EXPECT_EQ(operation(PERF_MEM_S(OP, STORE)), SampleOperation::write);
  EXPECT_EQ(operation(PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE)), SampleOperation::write);
  EXPECT_EQ(operation(PERF_MEM_S(OP, PFETCH)), SampleOperation::read);
  EXPECT_EQ(operation(PERF_MEM_S(OP, EXEC)), SampleOperation::unknown);
  EXPECT_EQ(operation(PERF_MEM_S(OP, NA)), SampleOperation::unknown);
  EXPECT_EQ(kind_of_data_source(0), AccessKind{});
}

TEST(data_source, of_old_kernels_names_the_farthest_level) {
  const std::uint64_t hit = PERF_MEM_S(LVL, HIT);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, L1)), SampleLevel::l1);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, L2)), SampleLevel::l2);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, L3)), SampleLevel::l3);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, LOC_RAM)), SampleLevel::local_memory);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, REM_RAM1)), SampleLevel::remote_memory);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, REM_RAM2)), SampleLevel::remote_memory);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, REM_CCE1)), SampleLevel::remote_cache);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, REM_CCE2)), SampleLevel::remote_cache);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, LFB)), SampleLevel::unknown);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, UNC)), SampleLevel::unknown);
  EXPECT_EQ(level_of(hit | PERF_MEM_S(LVL, IO)), SampleLevel::unknown);
  EXPECT_EQ(level_of(PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVL, L1)), SampleLevel::unknown);
  EXPECT_EQ(level_of(PERF_MEM_S(LVL, NA)), SampleLevel::unknown);
}

TEST(data_source, of_new_kernels_goes_by_number_remote_bit_and_hops) {
  const std::uint64_t remote = PERF_MEM_S(REMOTE, REMOTE);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, L1)), SampleLevel::l1);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, L2)), SampleLevel::l2);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, L3)), SampleLevel::l3);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, L3) | remote), SampleLevel::remote_cache);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, L4)), SampleLevel::l3);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, RAM)), SampleLevel::local_memory);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, RAM) | remote), SampleLevel::remote_memory);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, RAM) | remote | PERF_MEM_S(HOPS, 2)),
            SampleLevel::remote_memory);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, PMEM)), SampleLevel::local_memory);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, CXL)), SampleLevel::remote_memory);
  EXPECT_EQ(level_of(PERF_MEM_S(LVLNUM, LFB)), SampleLevel::unknown);
  const std::uint64_t cache = PERF_MEM_S(LVLNUM, ANY_CACHE) | remote;
  EXPECT_EQ(level_of(cache | PERF_MEM_S(HOPS, 0)), SampleLevel::l3);
  EXPECT_EQ(level_of(cache | PERF_MEM_S(HOPS, 1)), SampleLevel::remote_cache);
}

TEST(data_source, believes_the_number_before_the_bits) {
  const std::uint64_t bits = PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1);
  EXPECT_EQ(level_of(bits | PERF_MEM_S(LVLNUM, RAM)), SampleLevel::local_memory);
  EXPECT_EQ(level_of(bits | PERF_MEM_S(LVLNUM, NA)), SampleLevel::l1);
}

}  // namespace
}  // namespace homenode::sensing
