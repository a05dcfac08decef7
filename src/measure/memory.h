// The memory of one target: two arrays that lie on its node alone, page by page verified.
#pragma once

#include <utility>

#include "actuation/aligned_memory.h"
#include "actuation/region.h"
#include "measure/report.h"
#include "os/os.h"
#include "workloads/probe/cycle.h"

namespace homenode::measure {

/// Anonymous memory that starts at a huge page; unmapped at the end.
class NodeMemory {
 public:
  /// Maps, asks for huge pages, places every page on the node, binds the mapping to it (so that
  /// no balancing moves it), audits, and links the chain through the second array. Called on a
  /// CPU near the node where there is one. Where the machine has one node only, a kernel that
  /// refuses placement or audit (containers) is no obstacle: the facts say so.
  /// pre: array is a multiple of array_unit. Errors: no memory; placement refused.
  struct Wish {
    NodeId node;
    Bytes array;             ///< Of each of the two arrays.
    bool only_node = false;  ///< The machine has no other.
    bool modelled = false;   ///< The clock's model has no TLB, so none must be spared.
  };
  static Result<NodeMemory> make(os::Os& os, const Wish& wish);
  [[nodiscard]] const MemoryFacts& facts() const { return facts_; }
  /// Both arrays, the one for streams first.
  [[nodiscard]] const actuation::Region& region() const { return region_; }
  /// The first array, for streams.
  [[nodiscard]] double* stream() const { return static_cast<double*>(region_.address); }
  [[nodiscard]] std::size_t stream_elements() const { return facts_.array.value / sizeof(double); }
  /// Where the next chain of loads begins: where the last one ended, so that no line comes twice
  /// before all others were visited.
  workloads::probe::Stop* next_stop = nullptr;

 private:
  NodeMemory(os::Os& os, actuation::AlignedMemory memory)
      : os_(&os), memory_(std::move(memory)), region_(memory_.region()) {}
  Result<void> place(bool only_node);
  void audit_pages();
  void link(bool page_local);

  os::Os* os_;
  actuation::AlignedMemory memory_;
  actuation::Region region_;
  MemoryFacts facts_;
};

}  // namespace homenode::measure
