// Distinct types for the operating system's ids, so that a node is never passed where a CPU is
// meant. Freestanding: no allocation, no library calls. Serves every stage.
#pragma once

#include <compare>

namespace homenode {

/// An operating-system id. Ids are sparse: never assume that 0 exists or that ids are dense.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(unsigned value) : value_(value) {}

  /// The number that the operating system uses.
  [[nodiscard]] constexpr unsigned value() const { return value_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  unsigned value_ = 0;
};

/// A NUMA node (sysfs nodeN).
using NodeId = Id<struct NodeTag>;
/// A logical processor of the operating system (sysfs cpuN).
using CpuId = Id<struct CpuTag>;

}  // namespace homenode
