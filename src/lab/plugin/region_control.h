// When a region of interest opens and closes. Markers only ask; the change happens later, at one
// moment at which every vCPU stands still. In between other vCPUs may run into markers as well.
#pragma once

#include <cstdint>
#include <optional>

namespace homenode::lab {

/// Whose accesses a region counts.
enum class Scope {
  process,  ///< Those made under one value of cr3.
  all,      ///< Every process's.
  unknown,  ///< Every process's, because this QEMU cannot tell them apart.
};

/// A region of interest and the process (its cr3) that began it.
struct Region {
  Scope scope = Scope::process;
  std::uint64_t owner_cr3 = 0;
  /// Another region that begins takes its place, as if this one had not been.
  bool provisional = false;

  [[nodiscard]] bool includes(std::uint64_t cr3) const {
    return scope != Scope::process || cr3 == owner_cr3;
  }
};

/// What to do while every vCPU stands still: close the open region, then open another.
struct RegionChange {
  bool closes = false;
  bool ended_by_marker = false;  ///< Of the region that closes.
  bool drops = false;            ///< What was counted in it is of no interest.
  std::optional<Region> opens;
};

/// One region is open at a time. The process that began it ends it, or an END_ANY when it
/// has died. A BEGIN of its own process, or any BEGIN while every process is counted, changes
/// nothing. A BEGIN of another process closes a region that a process left open (it died, as a
/// rule) and opens its own. A provisional region gives way to any other, and opens beside none.
/// The caller locks.
class RegionControl {
 public:
  /// A BEGIN marker. True: a change has become necessary (and none was before).
  [[nodiscard]] bool begin(const Region& wanted);
  /// An END marker in the process cr3. True: as begin().
  [[nodiscard]] bool end(std::uint64_t cr3);
  /// An END_ANY marker. True: as begin().
  [[nodiscard]] bool end_any();
  /// Takes the change that the markers so far ask for.
  [[nodiscard]] RegionChange take_change();

  [[nodiscard]] const std::optional<Region>& open() const { return open_; }

 private:
  std::optional<Region> open_;
  std::optional<Region> next_;
  bool closing_ = false;
  bool ended_by_marker_ = false;
  bool drops_ = false;
};

}  // namespace homenode::lab
