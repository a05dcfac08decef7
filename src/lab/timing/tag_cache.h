// One private cache of a vCPU: set-associative, exact LRU, tags only. A tag is a physical line with
// the version that the line had, so a copy that another vCPU has made stale never matches.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace homenode::lab {

/// A physical line number with a version of its content.
struct Tag {
  static constexpr unsigned version_shift = 48;

  constexpr Tag(std::uint64_t line, std::uint16_t version)
      : bits(line | std::uint64_t{version} << version_shift) {}
  constexpr explicit Tag(std::uint64_t all) : bits(all) {}

  [[nodiscard]] constexpr std::uint64_t line() const {
    return bits & ((std::uint64_t{1} << version_shift) - 1);
  }
  [[nodiscard]] constexpr std::uint16_t version() const {
    return static_cast<std::uint16_t>(bits >> version_shift);
  }

  std::uint64_t bits;
};

class TagCache {
 public:
  /// pre: ways >= 1, bytes >= ways * line_bytes.
  TagCache(std::uint64_t bytes, unsigned ways, unsigned line_bytes);

  /// Looks the tag up; a hit becomes the set's newest.
  [[nodiscard]] bool find(Tag tag) {
    std::uint64_t* const set = set_of(tag);
    if (set[0] == tag.bits) return true;
    if (ways_ == 1) return false;
    if (set[1] == tag.bits) {
      std::swap(set[0], set[1]);
      return true;
    }
    return find_older(set, tag);
  }
  /// The number of a tag's set.
  [[nodiscard]] std::uint64_t index_of(Tag tag) const {
    const std::uint64_t line = tag.line();
    return set_mask_ != 0 ? line & set_mask_ : line % sets_;
  }
  [[nodiscard]] std::uint64_t sets() const { return sets_; }
  /// What insert() of this tag would push out.
  [[nodiscard]] std::optional<Tag> oldest_beside(Tag tag) {
    const std::uint64_t oldest = set_of(tag)[ways_ - 1];
    return oldest == empty ? std::nullopt : std::optional(Tag(oldest));
  }
  /// Makes the tag the newest of its set; returns what it pushes out, if anything.
  /// pre: find(tag) is false.
  std::optional<Tag> insert(Tag tag);
  /// Forgets the tag, if it is there.
  void remove(Tag tag);
  void clear();

 private:
  // No line has this number, so no tag has these bits.
  static constexpr std::uint64_t empty = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t* set_of(Tag tag) { return tags_.data() + index_of(tag) * ways_; }
  bool find_older(std::uint64_t* set, Tag tag) const;

  unsigned ways_;
  std::uint64_t sets_;
  std::uint64_t set_mask_;           ///< sets - 1 when that is a power of two above 1, else 0.
  std::vector<std::uint64_t> tags_;  ///< Each set from the newest to the oldest.
};

}  // namespace homenode::lab
