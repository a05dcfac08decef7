#include "sensing/sources/pmu/spe_records.h"

#include <optional>

#include "os/perf_events.h"
#include "sensing/sources/pmu/byte_reader.h"
#include "sensing/sources/pmu/spe_packets.h"

namespace homenode::sensing {
namespace {

/// Indexes of address packets, and of the counter that counts all of an operation.
enum : std::uint8_t { address_instruction = 0, address_data = 2, address_physical = 3 };
constexpr std::uint8_t counter_total = 0;
constexpr std::uint8_t class_load_store = 1;

/// Bits of an events packet.
enum : std::uint64_t {
  event_l1_access = 1U << 2,
  event_l1_refill = 1U << 3,
  event_last_level_access = 1U << 8,
  event_last_level_miss = 1U << 9,
  event_remote = 1U << 10,
};

constexpr unsigned top_byte = 56;
constexpr std::uint64_t without_top = (std::uint64_t{1} << top_byte) - 1;
constexpr std::uint64_t top_of_kernel = std::uint64_t{0xff} << top_byte;

/// One record while its packets come.
struct SpeRecord {
  SpeAccess access;
  std::uint64_t events = 0;
  std::optional<std::uint64_t> source;
  bool load_or_store = false;
};

/// The top byte of a data address is a tag of the program's; the kernel's half has ones below it.
std::uint64_t untagged(std::uint64_t payload) {
  const std::uint64_t address = payload & without_top;
  const bool of_kernel = (payload >> 52 & 0xf) == 0xf;
  return of_kernel ? address | top_of_kernel : address;
}

void add_address(SpeRecord& record, const SpePacket& packet) {
  switch (packet.index) {
    case address_instruction: {
      // The top byte says at which exception level it ran; 0 is the program's.
      const bool kernel = (packet.payload >> 61 & 3) != 0;
      record.access.kernel = kernel;
      record.access.instruction = (packet.payload & without_top) | (kernel ? top_of_kernel : 0);
      break;
    }
    case address_data:
      record.access.address = untagged(packet.payload);
      break;
    case address_physical:
      record.access.physical = packet.payload & without_top;
      break;
    default:
      break;
  }
}

void add_packet(SpeRecord& record, const SpePacket& packet) {
  switch (packet.kind) {
    case SpePacketKind::timestamp:
      record.access.timestamp = packet.payload;
      break;
    case SpePacketKind::address:
      add_address(record, packet);
      break;
    case SpePacketKind::counter:
      if (packet.index == counter_total) {
        record.access.latency_cycles = static_cast<std::uint32_t>(packet.payload);
      }
      break;
    case SpePacketKind::context:
      record.access.context = static_cast<std::uint32_t>(packet.payload);
      break;
    case SpePacketKind::operation:
      record.load_or_store = packet.index == class_load_store;
      record.access.kind.operation =
          packet.payload & 1 ? SampleOperation::write : SampleOperation::read;
      break;
    case SpePacketKind::events:
      record.events = packet.payload;
      break;
    case SpePacketKind::data_source:
      record.source = packet.payload;
      break;
    default:
      break;
  }
}

/// By the numbers of Neoverse N1, N2 and V1, which record them for loads alone.
SampleLevel level_of_source(std::uint64_t source) {
  switch (source) {
    case 0x0:
      return SampleLevel::l1;
    case 0x8:
      return SampleLevel::l2;
    case 0x9:  // Another core of the cluster.
    case 0xa:  // The cluster.
    case 0xb:  // The system's cache.
    case 0xc:
      return SampleLevel::l3;  // Another cluster.
    case 0xd:
      return SampleLevel::remote_cache;
    case 0xe:
      return SampleLevel::local_memory;
    default:
      return SampleLevel::unknown;
  }
}

/// What is behind the last cache is memory, of which the events say no more than "not here".
SampleLevel level_of_events(std::uint64_t events) {
  if (events & event_remote) return SampleLevel::remote_memory;
  if (events & event_last_level_miss) return SampleLevel::unknown;
  if (events & event_last_level_access) return SampleLevel::l3;
  const std::uint64_t l1 = events & (event_l1_access | event_l1_refill);
  return l1 == event_l1_access ? SampleLevel::l1 : SampleLevel::unknown;
}

SampleLevel level_of_record(const SpeRecord& record, bool data_sources) {
  const bool load = record.access.kind.operation == SampleOperation::read;
  // Data from the other socket is remote whichever cache or memory it was in.
  if (load && data_sources && record.source) return level_of_source(*record.source);
  return level_of_events(record.events);
}

}  // namespace

std::optional<SpeFlush> read_spe_flush(std::span<const std::byte> body) {
  ByteReader bytes(body);
  SpeFlush flush;
  flush.position = bytes.u64();
  flush.bytes = bytes.u64();
  flush.lost = (bytes.u64() & PERF_AUX_FLAG_TRUNCATED) != 0;
  flush.pid = bytes.u32();
  flush.tid = bytes.u32();
  flush.time_ns = bytes.u64();
  flush.cpu = bytes.u32();
  if (bytes.failed()) return {};
  return flush;
}

SpeAccesses read_spe_records(const SpeBytes& part) {
  SpeAccesses found;
  SpeRecord record;
  bool begun = false;
  std::size_t offset = 0;
  while (offset < part.bytes.size()) {
    const SpePacket packet = read_spe_packet(part.bytes.subspan(offset), part.offset + offset);
    offset += packet.bytes;
    if (packet.kind == SpePacketKind::bad) {
      ++found.bad_bytes;
      continue;
    }
    if (packet.kind == SpePacketKind::padding) continue;
    add_packet(record, packet);
    begun = begun || packet.kind != SpePacketKind::end;
    if (packet.kind != SpePacketKind::end && packet.kind != SpePacketKind::timestamp) continue;
    if (record.load_or_store && record.access.address != 0) {
      record.access.kind.level = level_of_record(record, part.data_sources);
      found.accesses.push_back(record.access);
    } else if (begun) {
      ++found.others;
    }
    record = {};
    begun = false;
  }
  return found;
}

}  // namespace homenode::sensing
