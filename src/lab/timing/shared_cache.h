// A last-level cache that several vCPUs share: lines that were read from memory and modified lines
// that private caches pushed out. One short lock per set.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lab/timing/tag_cache.h"

namespace homenode::lab {

class SharedCache {
 public:
  /// pre: as TagCache.
  SharedCache(std::uint64_t bytes, unsigned ways, unsigned line_bytes);

  /// Whether this version of the line is here; a hit becomes the set's newest. Thread safe.
  [[nodiscard]] bool find(Tag tag);
  /// Puts the line in as the newest, in place of an older version of it. Returns the modified line
  /// that has to be written to memory for it, if any. Thread safe.
  std::optional<Tag> insert(Tag tag, bool modified);
  struct Lookup {
    bool found = false;
    std::optional<Tag> written_back;  ///< As insert().
  };
  /// find(), and insert() where it is not found, as a read does. Thread safe.
  Lookup find_or_insert(Tag tag);
  /// pre: nobody uses it at the same time.
  void clear();

 private:
  // Physical lines have at most 46 bits; the bit above says that memory is behind.
  static constexpr std::uint64_t modified_bit = std::uint64_t{1} << 47;
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  /// A set's lock, and its newest line's place.
  struct Head {
    std::atomic_flag lock;
    std::uint16_t newest = 0;
  };
  class Locked;

  /// A byte of a line's number, which is compared eight at a time before tags are.
  [[nodiscard]] std::uint8_t signature_of(Tag tag) const {
    return static_cast<std::uint8_t>((tag.line() * 0x9e3779b97f4a7c15U) >> 56U);
  }
  [[nodiscard]] std::uint64_t index_of(Tag tag) const {
    return set_mask_ != 0 ? tag.line() & set_mask_ : tag.line() % sets_;
  }

  unsigned ways_;
  unsigned signatures_;  ///< Bytes of a set's signatures: ways, rounded up to a multiple of eight.
  std::uint64_t sets_;
  std::uint64_t set_mask_;  ///< sets - 1 when that is a power of two above 1, else 0.
  // Each set is a ring in order of use: the newest, then (upwards, around the end) ever older ones.
  // A miss thus turns the ring by one instead of moving every tag.
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint8_t> bytes_;  ///< The signatures, in the tags' order.
  std::unique_ptr<Head[]> heads_;
};

}  // namespace homenode::lab
