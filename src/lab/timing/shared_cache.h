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
  class Locked;

  [[nodiscard]] bool find_in(std::uint64_t* set, Tag tag) const;
  std::optional<Tag> insert_in(std::uint64_t* set, Tag tag, bool modified) const;
  [[nodiscard]] std::uint64_t index_of(Tag tag) const {
    return set_mask_ != 0 ? tag.line() & set_mask_ : tag.line() % sets_;
  }

  unsigned ways_;
  std::uint64_t sets_;
  std::uint64_t set_mask_;  ///< sets - 1 when that is a power of two above 1, else 0.
  std::vector<std::uint64_t> tags_;
  std::unique_ptr<std::atomic_flag[]> locks_;
};

}  // namespace homenode::lab
