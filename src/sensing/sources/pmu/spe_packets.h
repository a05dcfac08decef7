// One packet of Arm's Statistical Profiling Extension: what kind it is and what it carries. Pure.
// Serves spe_records.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace homenode::sensing {

enum class SpePacketKind : std::uint8_t {
  bad,  ///< No packet begins here, or it is cut.
  padding,
  end,
  timestamp,
  address,
  counter,
  context,
  operation,
  events,
  data_source,
};

struct SpePacket {
  SpePacketKind kind = SpePacketKind::bad;
  std::uint8_t index = 0;  ///< Which address, counter, context or class of operation.
  std::uint64_t payload = 0;
  std::size_t bytes = 1;  ///< With its header; at least 1 and no more than there are.
};

/// `offset` is the place of the bytes in the buffer, by which alignment packets are as long as they
/// are. pre: bytes is not empty.
SpePacket read_spe_packet(std::span<const std::byte> bytes, std::size_t offset);

}  // namespace homenode::sensing
