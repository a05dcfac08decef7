// Reads little-endian numbers from bytes of which nothing is believed. Serves the decoders of PMU
// records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace homenode::sensing {

/// After a read behind the end `failed()` stays true and every number is 0.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// A number of `count` bytes, at most 8.
  std::uint64_t number(std::size_t count) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const std::byte byte : take(count)) {
      value |= std::to_integer<std::uint64_t>(byte) << shift;
      shift += 8;
    }
    return value;
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }

  std::span<const std::byte> take(std::uint64_t count) {
    if (failed_ || count > bytes_.size()) {
      failed_ = true;
      return {};
    }
    const auto taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return taken;
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

}  // namespace homenode::sensing
