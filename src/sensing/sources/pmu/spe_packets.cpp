#include "sensing/sources/pmu/spe_packets.h"

#include <algorithm>

#include "sensing/sources/pmu/byte_reader.h"

namespace homenode::sensing {
namespace {

constexpr unsigned payload_bits = 0x30;  ///< Of a header: the length of what follows.

unsigned byte_at(std::span<const std::byte> bytes, std::size_t at) {
  return std::to_integer<unsigned>(bytes[at]);
}

SpePacket with_payload(SpePacketKind kind, unsigned index, std::span<const std::byte> bytes,
                       std::size_t header_bytes) {
  const std::size_t length = std::size_t{1}
                             << ((byte_at(bytes, header_bytes - 1) & payload_bits) >> 4);
  ByteReader reader(bytes.subspan(header_bytes));
  const std::uint64_t payload = reader.number(length);
  if (reader.failed()) return {};
  return {kind, static_cast<std::uint8_t>(index), payload, header_bytes + length};
}

/// Up to the next multiple of a power of two.
SpePacket alignment(std::span<const std::byte> bytes, std::size_t offset) {
  const std::size_t multiple = std::size_t{1} << ((byte_at(bytes, 0) & 0xfU) + 1);
  const std::size_t length = multiple - (offset & (multiple - 1));
  return {SpePacketKind::padding, 0, 0, std::clamp<std::size_t>(length, 2, bytes.size())};
}

/// Addresses and counters, whose headers may be one or two bytes long.
SpePacket indexed(std::span<const std::byte> bytes, std::size_t header_bytes) {
  const unsigned header = byte_at(bytes, header_bytes - 1);
  const unsigned upper = header_bytes == 2 ? (byte_at(bytes, 0) & 3U) << 3 : 0U;
  const unsigned index = upper | (header & 7U);
  if ((header & 0xf8U) == 0xb0U) {
    return with_payload(SpePacketKind::address, index, bytes, header_bytes);
  }
  if ((header & 0xf8U) == 0x98U) {
    return with_payload(SpePacketKind::counter, index, bytes, header_bytes);
  }
  return {};
}

}  // namespace

SpePacket read_spe_packet(std::span<const std::byte> bytes, std::size_t offset) {
  const unsigned header = byte_at(bytes, 0);
  if (header == 0x00) return {SpePacketKind::padding, 0, 0, 1};
  if (header == 0x01) return {SpePacketKind::end, 0, 0, 1};
  if (header == 0x71) return with_payload(SpePacketKind::timestamp, 0, bytes, 1);
  if ((header & 0xcfU) == 0x42) return with_payload(SpePacketKind::events, 0, bytes, 1);
  if ((header & 0xcfU) == 0x43) return with_payload(SpePacketKind::data_source, 0, bytes, 1);
  if ((header & 0xfcU) == 0x64) return with_payload(SpePacketKind::context, header & 3U, bytes, 1);
  if ((header & 0xfcU) == 0x48) {
    return with_payload(SpePacketKind::operation, header & 3U, bytes, 1);
  }
  if ((header & 0xf0U) != 0x20) return indexed(bytes, 1);
  if (bytes.size() < 2) return {};
  if (byte_at(bytes, 1) == 0) return alignment(bytes, offset);
  return (header & 0xfcU) == 0x20 ? indexed(bytes, 2) : SpePacket{};
}

}  // namespace homenode::sensing
