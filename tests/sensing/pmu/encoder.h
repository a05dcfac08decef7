// Makes the bytes that a kernel with a PMU writes, from the layouts that are documented: nothing
// here is shared with the readers under test.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sensing/sources/perf_records.h"

namespace homenode::sensing::encoder {

using Bytes = std::vector<std::uint8_t>;

inline void put(Bytes& bytes, std::uint64_t value, std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) {
    bytes.push_back(static_cast<std::uint8_t>(value >> (8 * index)));
  }
}

/// The body of a PERF_RECORD_SAMPLE, field after field.
inline Bytes sample(const PerfSample& of, std::uint64_t type, const Bytes& raw = {}) {
  Bytes bytes;
  if (type & PERF_SAMPLE_IP) put(bytes, of.instruction, 8);
  if (type & PERF_SAMPLE_TID) put(bytes, std::uint64_t{of.tid} << 32 | of.pid, 8);
  if (type & PERF_SAMPLE_TIME) put(bytes, of.time_ns, 8);
  if (type & PERF_SAMPLE_ADDR) put(bytes, of.address, 8);
  if (type & PERF_SAMPLE_CPU) put(bytes, of.cpu, 8);
  if (type & PERF_SAMPLE_PERIOD) put(bytes, of.period, 8);
  if (type & PERF_SAMPLE_RAW) {
    put(bytes, raw.size(), 4);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  if (type & PERF_SAMPLE_WEIGHT) put(bytes, of.weight, 8);
  if (type & PERF_SAMPLE_DATA_SRC) put(bytes, of.data_source, 8);
  if (type & PERF_SAMPLE_PHYS_ADDR) put(bytes, of.physical, 8);
  return bytes;
}

/// What ibs_op hands on: capabilities, then control, instruction, data, data 2, data 3, addresses.
struct Ibs {
  std::uint32_t capabilities = 0x3ff;
  std::uint64_t data2 = 0;
  std::uint64_t data3 = 0;
  std::uint64_t address = 0;
  std::uint64_t physical = 0;

  [[nodiscard]] Bytes bytes() const {
    Bytes raw;
    put(raw, capabilities, 4);
    for (const std::uint64_t value :
         {std::uint64_t{0x0006'0000}, std::uint64_t{0x401000}, std::uint64_t{0x0009'0003}, data2,
          data3, address, physical, std::uint64_t{0xb7}}) {
      put(raw, value, 8);
    }
    return raw;
  }
};

/// Packets of SPE.
class Spe {
 public:
  Spe& address(unsigned index, std::uint64_t value) {
    return packet({static_cast<std::uint8_t>(0xb0 | index)}, value, 8);
  }
  /// The same with the longer header.
  Spe& long_address(unsigned index, std::uint64_t value) {
    return packet({static_cast<std::uint8_t>(0x20 | index >> 3),
                   static_cast<std::uint8_t>(0xb0 | (index & 7U))},
                  value, 8);
  }
  Spe& latency(unsigned index, std::uint64_t cycles) {
    return packet({static_cast<std::uint8_t>(0x98 | index)}, cycles, 2);
  }
  Spe& context(std::uint64_t id) { return packet({0x64}, id, 4); }
  Spe& operation(unsigned kind, std::uint64_t payload) {
    return packet({static_cast<std::uint8_t>(0x48 | kind)}, payload, 1);
  }
  Spe& events(std::uint64_t bits) { return packet({0x52}, bits, 2); }
  Spe& data_source(std::uint64_t source) { return packet({0x43}, source, 1); }
  Spe& timestamp(std::uint64_t time) { return packet({0x71}, time, 8); }
  Spe& end() { return packet({0x01}, 0, 0); }
  Spe& padding(std::size_t count) { return packet({0x00}, 0, count - 1); }
  /// Up to a multiple of 2 << `power`.
  Spe& align(unsigned power) {
    const std::size_t multiple = std::size_t{2} << power;
    if (bytes.size() % multiple == multiple - 1) padding(1);  // There is no packet of one byte.
    const std::size_t at = bytes.size() % multiple;
    return packet({static_cast<std::uint8_t>(0x20 | power), 0}, 0, multiple - at - 2);
  }

  Bytes bytes;

 private:
  Spe& packet(std::initializer_list<std::uint8_t> header, std::uint64_t payload,
              std::size_t count) {
    bytes.insert(bytes.end(), header);
    for (std::size_t index = 0; index < count; ++index) {
      bytes.push_back(index < 8 ? static_cast<std::uint8_t>(payload >> (8 * index)) : 0);
    }
    return *this;
  }
};

}  // namespace homenode::sensing::encoder
