// Who holds a line, for every line of the machine's memory: what keeps the modelled caches
// coherent. Copies are not told of a write; they carry the line's version at their time and are
// found stale when next looked at.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace homenode::lab {

/// A line's state in 32 bits: version, the vCPU that holds it alone, whether others hold it too,
/// and whether memory is behind. All zero: no cache holds it.
class LineState {
 public:
  static constexpr unsigned nobody = 0xfff;

  constexpr LineState() = default;
  constexpr explicit LineState(std::uint32_t bits) : bits_(bits) {}

  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr std::uint16_t version() const {
    return static_cast<std::uint16_t>(bits_ >> 16U);
  }
  /// The vCPU, or `nobody`.
  [[nodiscard]] constexpr unsigned holder() const { return ((bits_ >> 4U) - 1) & 0xfffU; }
  [[nodiscard]] constexpr bool shared() const { return (bits_ & 1U) != 0; }
  [[nodiscard]] constexpr bool dirty() const { return (bits_ & 2U) != 0; }
  /// The vCPU may write it without asking anybody.
  [[nodiscard]] constexpr bool writable_by(unsigned vcpu) const {
    return holder() == vcpu && !shared();
  }

  [[nodiscard]] static constexpr LineState of(std::uint16_t version, unsigned holder, bool shared,
                                              bool dirty) {
    return LineState(std::uint32_t{version} << 16U | ((holder + 1) & 0xfffU) << 4U |
                     (dirty ? 2U : 0U) | (shared ? 1U : 0U));
  }
  [[nodiscard]] constexpr LineState held_by(unsigned vcpu) const {
    return of(version(), vcpu, false, false);
  }
  [[nodiscard]] constexpr LineState with_sharers() const {
    return of(version(), holder(), true, false);
  }
  /// Every other copy becomes stale.
  [[nodiscard]] constexpr LineState taken_by(unsigned vcpu) const {
    return of(static_cast<std::uint16_t>(version() + 1), vcpu, false, true);
  }
  [[nodiscard]] constexpr LineState written() const { return of(version(), holder(), false, true); }
  [[nodiscard]] constexpr LineState let_go() const { return of(version(), nobody, false, false); }
  /// Written past every cache.
  [[nodiscard]] constexpr LineState bypassed() const {
    return of(static_cast<std::uint16_t>(version() + 1), nobody, false, false);
  }

  friend constexpr bool operator==(LineState, LineState) = default;

 private:
  std::uint32_t bits_ = 0;
};

/// The states of all lines below a physical address. Memory is taken only for lines that are used:
/// one sixteenth of theirs.
class Directory {
 public:
  using Entry = std::atomic<std::uint32_t>;

  /// Errors: failed, when the address space cannot be had.
  [[nodiscard]] static Result<Directory> create(std::uint64_t lines);
  Directory(Directory&& other) noexcept;
  Directory& operator=(Directory&&) = delete;
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory();

  /// pre: line < lines.
  [[nodiscard]] Entry& operator[](std::uint64_t line) const { return entries_[line]; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

  /// No cache holds anything. pre: nobody uses it at the same time.
  void clear();

 private:
  Directory(Entry* entries, std::uint64_t lines) : entries_(entries), lines_(lines) {}

  Entry* entries_;
  std::uint64_t lines_;
};

}  // namespace homenode::lab
