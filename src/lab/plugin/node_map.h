// From the physical address that QEMU gives a plugin to the node that it lies on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lab/plugin/arguments.h"

namespace homenode::lab {

class NodeMap {
 public:
  /// pre: the ranges do not overlap. For AddressForm::ram_block each node's memory must be one
  /// backend of its own, the backends created in increasing node id and before any other RAM.
  NodeMap(std::span<const NodeRange> ranges, AddressForm form);

  /// The nodes that have memory, increasing. An index below is a position in this list.
  [[nodiscard]] const std::vector<NodeId>& nodes() const { return nodes_; }

  /// The index of the node that holds the address, or nothing: a device, firmware.
  [[nodiscard]] std::optional<unsigned> index_of(std::uint64_t address) const {
    for (const Span& span : spans_) {
      if (address - span.base < span.size) return span.index;
    }
    return std::nullopt;
  }

  /// The guest-physical address that it is; 0: QEMU's form of addresses does not tell.
  [[nodiscard]] std::uint64_t guest_physical(std::uint64_t address) const {
    return form_ == AddressForm::guest_physical ? address : 0;
  }

 private:
  struct Span {
    std::uint64_t base;
    std::uint64_t size;
    unsigned index;
  };
  AddressForm form_;
  std::vector<NodeId> nodes_;
  std::vector<Span> spans_;
};

}  // namespace homenode::lab
