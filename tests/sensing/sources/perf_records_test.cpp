#include "sensing/sources/perf_records.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "perf_bytes.h"

namespace homenode::sensing {
namespace {

constexpr std::uint64_t fault_fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                       PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PHYS_ADDR |
                                       PERF_SAMPLE_DATA_PAGE_SIZE;

PerfRecord record_of(const Bytes& body, std::uint16_t misc = PERF_RECORD_MISC_USER) {
  return {PERF_RECORD_SAMPLE, misc, std::as_bytes(std::span(body.text))};
}

TEST(PerfRecords, SampleHasItsFieldsInTheKernelsOrder) {
  Bytes body;
  body.add(std::uint64_t{0x401000}).add(std::uint32_t{7}).add(std::uint32_t{8});
  body.add(std::uint64_t{123}).add(std::uint64_t{0x7f0012345678});
  body.add(std::uint32_t{3}).add(std::uint32_t{0});
  body.add(std::uint64_t{0x1234000}).add(std::uint64_t{4096});
  const auto sample = decode_perf_sample(record_of(body), fault_fields);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->instruction, 0x401000U);
  EXPECT_EQ(sample->pid, 7U);
  EXPECT_EQ(sample->tid, 8U);
  EXPECT_EQ(sample->time_ns, 123U);
  EXPECT_EQ(sample->address, 0x7f0012345678U);
  EXPECT_EQ(sample->cpu, 3U);
  EXPECT_EQ(sample->physical, 0x1234000U);
  EXPECT_EQ(sample->page_bytes, 4096U);
  EXPECT_FALSE(sample->kernel);
  EXPECT_TRUE(decode_perf_sample(record_of(body, PERF_RECORD_MISC_KERNEL), fault_fields)->kernel);
}

TEST(PerfRecords, RecordCutAtAnyByteIsNone) {
  Bytes body;
  for (int i = 0; i < 7; ++i) body.add(std::uint64_t{1});
  ASSERT_TRUE(decode_perf_sample(record_of(body), fault_fields));
  while (!body.text.empty()) {
    body.text.pop_back();
    EXPECT_FALSE(decode_perf_sample(record_of(body), fault_fields)) << body.text.size();
  }
  const PerfRecord empty{PERF_RECORD_FORK, 0, {}};
  EXPECT_FALSE(decode_perf_fork(empty));
  EXPECT_FALSE(decode_perf_name(empty));
  EXPECT_FALSE(decode_perf_mapping(empty));
  EXPECT_FALSE(decode_perf_lost(empty));
}

TEST(PerfRecords, NameEndsAtItsZeroAndKnowsExec) {
  Bytes body;
  body.add(std::uint32_t{7}).add(std::uint32_t{8});
  body.text += std::string("solver\0\0trailer", 15);
  const auto name = decode_perf_name(record_of(body, PERF_RECORD_MISC_COMM_EXEC));
  ASSERT_TRUE(name);
  EXPECT_EQ(name->name, "solver");
  EXPECT_EQ(name->tid, 8U);
  EXPECT_TRUE(name->exec);
}

TEST(PerfRecords, MappingHasPermissionsAsInMaps) {
  Bytes body;
  body.add(std::uint32_t{7}).add(std::uint32_t{8});
  body.add(std::uint64_t{0x1000}).add(std::uint64_t{0x2000}).add(std::uint64_t{0x3000});
  for (int i = 0; i < 3; ++i) body.add(std::uint64_t{0});
  body.add(std::uint32_t{PROT_READ | PROT_WRITE}).add(std::uint32_t{MAP_SHARED});
  body.text += std::string("/dev/shm/x\0", 11);
  const auto mapping = decode_perf_mapping(record_of(body));
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->permissions, "rw-s");
  EXPECT_EQ(mapping->begin, 0x1000U);
  EXPECT_EQ(mapping->bytes, 0x2000U);
  EXPECT_EQ(mapping->path, "/dev/shm/x");
}

}  // namespace
}  // namespace homenode::sensing
