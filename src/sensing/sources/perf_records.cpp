#include "sensing/sources/perf_records.h"

#include <cstring>

#include "os/perf_events.h"

namespace homenode::sensing {
namespace {

/// Takes numbers off the front of a record; a short record gives zeros and is not `whole` then.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class Number>
  Number take() {
    Number value{};
    if (rest_.size() < sizeof value) {
      whole_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }

  std::span<const std::byte> take_bytes(std::size_t count) {
    if (rest_.size() < count) {
      whole_ = false;
      return {};
    }
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  /// Text up to its first zero, or to the end of the record.
  std::string text() const {
    const auto* const first = reinterpret_cast<const char*>(rest_.data());
    return {first, strnlen(first, rest_.size())};
  }
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  std::span<const std::byte> rest_;
  bool whole_ = true;
};

/// PROT_* and MAP_SHARED, as mmap(2) took them.
std::string permissions_of(std::uint32_t protection, std::uint32_t flags) {
  constexpr std::uint32_t read = 1;
  constexpr std::uint32_t write = 2;
  constexpr std::uint32_t execute = 4;
  constexpr std::uint32_t shared = 1;
  return {(protection & read) != 0 ? 'r' : '-', (protection & write) != 0 ? 'w' : '-',
          (protection & execute) != 0 ? 'x' : '-', (flags & shared) != 0 ? 's' : 'p'};
}

}  // namespace

std::uint64_t decodable_sample_fields() {
  return PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
         PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
         PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE;
}

std::optional<PerfSample> decode_perf_sample(const PerfRecord& record, std::uint64_t sample_type) {
  Fields fields(record.body);
  PerfSample sample;
  const auto has = [sample_type](std::uint64_t bit) { return (sample_type & bit) != 0; };
  // In the order in which the kernel writes them.
  if (has(PERF_SAMPLE_IP)) sample.instruction = fields.take<std::uint64_t>();
  if (has(PERF_SAMPLE_TID)) {
    sample.pid = fields.take<std::uint32_t>();
    sample.tid = fields.take<std::uint32_t>();
  }
  if (has(PERF_SAMPLE_TIME)) sample.time_ns = fields.take<std::uint64_t>();
  if (has(PERF_SAMPLE_ADDR)) sample.address = fields.take<std::uint64_t>();
  if (has(PERF_SAMPLE_CPU)) {
    sample.cpu = fields.take<std::uint32_t>();
    fields.take<std::uint32_t>();
  }
  if (has(PERF_SAMPLE_PERIOD)) sample.period = fields.take<std::uint64_t>();
  if (has(PERF_SAMPLE_RAW)) sample.raw = fields.take_bytes(fields.take<std::uint32_t>());
  if (has(PERF_SAMPLE_WEIGHT)) sample.weight = fields.take<std::uint64_t>();
  if (has(PERF_SAMPLE_DATA_SRC)) sample.data_source = fields.take<std::uint64_t>();
  if (has(PERF_SAMPLE_PHYS_ADDR)) sample.physical = fields.take<std::uint64_t>();
  if (has(PERF_SAMPLE_DATA_PAGE_SIZE)) sample.page_bytes = fields.take<std::uint64_t>();
  sample.kernel = (record.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
  if (!fields.whole()) return std::nullopt;
  return sample;
}

std::optional<PerfFork> decode_perf_fork(const PerfRecord& record) {
  Fields fields(record.body);
  PerfFork fork;
  fork.pid = fields.take<std::uint32_t>();
  fork.parent = fields.take<std::uint32_t>();
  fork.tid = fields.take<std::uint32_t>();
  if (!fields.whole()) return std::nullopt;
  return fork;
}

std::optional<PerfName> decode_perf_name(const PerfRecord& record) {
  Fields fields(record.body);
  PerfName name;
  name.pid = fields.take<std::uint32_t>();
  name.tid = fields.take<std::uint32_t>();
  if (!fields.whole()) return std::nullopt;
  name.name = fields.text();
  name.exec = (record.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
  return name;
}

std::optional<PerfMapping> decode_perf_mapping(const PerfRecord& record) {
  Fields fields(record.body);
  PerfMapping mapping;
  mapping.pid = fields.take<std::uint32_t>();
  fields.take<std::uint32_t>();  // The thread
  mapping.begin = fields.take<std::uint64_t>();
  mapping.bytes = fields.take<std::uint64_t>();
  mapping.offset = fields.take<std::uint64_t>();
  for (int word = 0; word < 3; ++word) fields.take<std::uint64_t>();  // Device and file.
  const auto protection = fields.take<std::uint32_t>();
  const auto flags = fields.take<std::uint32_t>();
  if (!fields.whole()) return std::nullopt;
  mapping.permissions = permissions_of(protection, flags);
  mapping.path = fields.text();
  return mapping;
}

std::optional<std::uint64_t> decode_perf_lost(const PerfRecord& record) {
  Fields fields(record.body);
  fields.take<std::uint64_t>();  // The event
  const auto lost = fields.take<std::uint64_t>();
  if (!fields.whole()) return std::nullopt;
  return lost;
}

}  // namespace homenode::sensing
