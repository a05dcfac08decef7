// Records of performance events as the kernel writes them, for tests that decode or feed them.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <string>

namespace homenode::sensing {

/// Numbers one behind the other, in the machine's order.
struct Bytes {
  std::string text;

  template <class Number>
  Bytes& add(Number number) {
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
};

inline std::string perf_record(std::uint32_t type, const Bytes& body,
                               std::uint16_t misc = PERF_RECORD_MISC_USER) {
  Bytes record;
  record.add(type).add(misc).add(static_cast<std::uint16_t>(8 + body.text.size()));
  return record.text + body.text;
}

/// What a page fault is reported as, with all fields that fault_events.h asks for.
struct FaultRecord {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t address = 0;
  std::uint32_t cpu = 0;
  std::uint64_t physical = 0;
  std::uint64_t page_bytes = 0;
};

inline std::string perf_record(const FaultRecord& fault) {
  Bytes body;
  body.add(std::uint64_t{0x401000}).add(fault.pid).add(fault.tid).add(fault.time_ns);
  body.add(fault.address).add(fault.cpu).add(std::uint32_t{0});
  body.add(fault.physical).add(fault.page_bytes);
  return perf_record(PERF_RECORD_SAMPLE, body);
}

}  // namespace homenode::sensing
