// Records of samples are read back as they were encoded, for every combination of the fields that
// the PMU's events may ask for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "encoder.h"
#include "sensing/sources/perf_records.h"

namespace homenode::sensing {
namespace {

constexpr std::array<std::uint64_t, 10> fields{
    PERF_SAMPLE_IP,        PERF_SAMPLE_TID,   PERF_SAMPLE_TIME,   PERF_SAMPLE_ADDR,
    PERF_SAMPLE_CPU,       PERF_SAMPLE_RAW,   PERF_SAMPLE_WEIGHT, PERF_SAMPLE_DATA_SRC,
    PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_PERIOD};

PerfRecord record_with(const encoder::Bytes& body) {
  return {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, std::as_bytes(std::span(body))};
}

PerfSample random_sample(std::mt19937_64& random) {
  PerfSample sample;
  sample.instruction = random();
  sample.pid = static_cast<std::uint32_t>(random());
  sample.tid = static_cast<std::uint32_t>(random());
  sample.time_ns = random();
  sample.address = random();
  sample.cpu = static_cast<std::uint32_t>(random());
  sample.period = random();
  sample.weight = random();
  sample.data_source = random();
  sample.physical = random();
  return sample;
}

encoder::Bytes random_bytes(std::mt19937_64& random, std::size_t most) {
  encoder::Bytes bytes(random() % (most + 1));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

void expect_read_back(const PerfSample& sample, std::uint64_t type, const encoder::Bytes& raw) {
  const encoder::Bytes body = encoder::sample(sample, type, raw);
  const auto read = decode_perf_sample(record_with(body), type);
  ASSERT_TRUE(read.has_value());
  const auto expect = [&](std::uint64_t field, std::uint64_t found, std::uint64_t written) {
    EXPECT_EQ(found, type & field ? written : 0) << std::hex << field << " in " << type;
  };
  expect(PERF_SAMPLE_IP, read->instruction, sample.instruction);
  expect(PERF_SAMPLE_TID, read->pid, sample.pid);
  expect(PERF_SAMPLE_TID, read->tid, sample.tid);
  expect(PERF_SAMPLE_TIME, read->time_ns, sample.time_ns);
  expect(PERF_SAMPLE_ADDR, read->address, sample.address);
  expect(PERF_SAMPLE_PERIOD, read->period, sample.period);
  expect(PERF_SAMPLE_WEIGHT, read->weight, sample.weight);
  expect(PERF_SAMPLE_DATA_SRC, read->data_source, sample.data_source);
  expect(PERF_SAMPLE_PHYS_ADDR, read->physical, sample.physical);
  expect(PERF_SAMPLE_CPU, read->cpu, sample.cpu);
  const encoder::Bytes expected = type & PERF_SAMPLE_RAW ? raw : encoder::Bytes{};
  EXPECT_TRUE(std::ranges::equal(read->raw, std::as_bytes(std::span(expected))));
  // One byte less is not enough.
  if (!body.empty()) {
    const encoder::Bytes cut(body.begin(), body.end() - 1);
    EXPECT_FALSE(decode_perf_sample(record_with(cut), type).has_value());
  }
}

TEST(sample_record, is_read_back_with_every_combination_of_fields) {
  std::mt19937_64 random(7);
  for (std::uint64_t combination = 0; combination < std::uint64_t{1} << fields.size();
       ++combination) {
    std::uint64_t type = 0;
    for (std::size_t field = 0; field < fields.size(); ++field) {
      if (combination >> field & 1) type |= fields[field];
    }
    expect_read_back(random_sample(random), type, random_bytes(random, 80));
  }
}

TEST(sample_record, never_reads_behind_its_bytes) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20000; ++round) {
    // Its own allocation, so that address sanitizer sees a read behind it.
    const encoder::Bytes body = random_bytes(random, 120);
    const std::uint64_t type = random() & decodable_sample_fields();
    const auto read = decode_perf_sample(record_with(body), type);
    if (read) {
      EXPECT_LE(read->raw.size(), body.size());
    }
  }
}

TEST(sample_record, with_raw_bytes_of_any_length_is_refused_or_read) {
  for (const std::uint64_t length : {0U, 1U, 8U, 9U, 0x7fff'ffffU, 0xffff'ffffU}) {
    encoder::Bytes body;
    encoder::put(body, length, 4);
    encoder::put(body, 0, 8);
    const auto read = decode_perf_sample(record_with(body), PERF_SAMPLE_RAW);
    EXPECT_EQ(read.has_value(), length <= 8);
  }
}

}  // namespace
}  // namespace homenode::sensing
