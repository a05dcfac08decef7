#include "sensing/sources/pmu/ibs_record.h"

#include "sensing/sources/pmu/byte_reader.h"

namespace homenode::sensing {
namespace {

/// Bits of IBS_OP_DATA3.
enum : std::uint64_t {
  is_load = 1U << 0,
  is_store = 1U << 1,
  missed_l1 = 1U << 7,
  uncacheable = 1U << 14,
  no_miss_buffer = 1U << 16,
  address_valid = 1U << 17,
  physical_valid = 1U << 18,
  missed_l2 = 1U << 20,
  software_prefetch = 1U << 21,
};
constexpr std::uint32_t finer_sources = 1U << 11;  ///< In the capabilities, since Zen 4.

struct IbsRegisters {
  std::uint32_t capabilities = 0;
  std::uint64_t data2 = 0;
  std::uint64_t data3 = 0;
  std::uint64_t address = 0;
  std::uint64_t physical = 0;
};

/// The capabilities, then the registers in order of their numbers.
std::optional<IbsRegisters> read_registers(std::span<const std::byte> raw) {
  constexpr std::size_t before_data2 = 3;  // Control, instruction, data.
  ByteReader bytes(raw);
  IbsRegisters registers;
  registers.capabilities = bytes.u32();
  bytes.take(before_data2 * 8);
  registers.data2 = bytes.u64();
  registers.data3 = bytes.u64();
  registers.address = bytes.u64();
  registers.physical = bytes.u64();
  if (bytes.failed()) return {};
  return registers;
}

SampleLevel memory_level(bool remote) {
  return remote ? SampleLevel::remote_memory : SampleLevel::local_memory;
}

/// Behind the second cache, by the numbers of Zen to Zen 3.
SampleLevel coarse_level(std::uint64_t source, bool remote) {
  switch (source) {
    case 2:
      return SampleLevel::l3;
    case 3:
      return memory_level(remote);
    case 4:
      return SampleLevel::remote_cache;
    default:
      return SampleLevel::unknown;
  }
}

/// By those of Zen 4 and later.
SampleLevel fine_level(std::uint64_t source, bool remote) {
  switch (source) {
    case 1:
    case 2:  // Of another core complex on the same node.
      return SampleLevel::l3;
    case 3:
    case 6:  // Persistent memory.
      return memory_level(remote);
    case 5:
      return SampleLevel::remote_cache;
    case 8:   // CXL: a node without CPUs.
    case 12:  // Of another device.
      return SampleLevel::remote_memory;
    default:
      return SampleLevel::unknown;
  }
}

SampleLevel level_of_registers(const IbsRegisters& registers, bool erratum_1293) {
  const bool wrong = erratum_1293 && (registers.data3 & (software_prefetch | no_miss_buffer)) != 0;
  if (registers.data3 & uncacheable) return SampleLevel::unknown;
  if ((registers.data3 & missed_l1) == 0) return SampleLevel::l1;
  if ((registers.data3 & missed_l2) == 0 && !wrong) return SampleLevel::l2;
  // Where the data came from is recorded for loads alone.
  if ((registers.data3 & is_load) == 0 || wrong) return SampleLevel::unknown;
  const bool remote = (registers.data2 >> 4 & 1) != 0;
  const std::uint64_t source = registers.data2 & 7;
  if ((registers.capabilities & finer_sources) == 0) return coarse_level(source, remote);
  return fine_level((registers.data2 >> 6 & 3) << 3 | source, remote);
}

}  // namespace

std::optional<RecordedAccess> read_ibs_sample(std::span<const std::byte> raw, bool erratum_1293) {
  const auto registers = read_registers(raw);
  if (!registers || (registers->data3 & (is_load | is_store)) == 0) return {};
  if ((registers->data3 & address_valid) == 0) return {};
  RecordedAccess access;
  access.kind.operation =
      registers->data3 & is_store ? SampleOperation::write : SampleOperation::read;
  access.kind.level = level_of_registers(*registers, erratum_1293);
  access.address = registers->address;
  if (registers->data3 & physical_valid) access.physical = registers->physical;
  constexpr std::uint64_t latency_bits = 0xffff;
  if ((registers->data3 & is_load) != 0 && (registers->data3 & missed_l1) != 0) {
    access.latency_cycles = static_cast<std::uint32_t>(registers->data3 >> 32 & latency_bits);
  }
  return access;
}

}  // namespace homenode::sensing
