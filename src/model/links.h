// Links that several pairs of nodes share, and the way of each pair over them, as machine files
// declare them (docs/add-a-machine.md: Links, Routes). Pure; firmware and measurements know none.
#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix.h"
#include "base/result.h"
#include "machine/machine.h"

namespace homenode::model {

/// One link; it carries so much each way at the same time.
struct Link {
  NodeId first;
  NodeId second;
  double bytes_per_s = 0;
};

/// One link of a way; `forward` is from `first` to `second`.
struct Step {
  std::size_t link = 0;
  bool forward = true;
  friend bool operator==(const Step&, const Step&) = default;
};

struct Links {
  std::vector<Link> links;
  /// What a request passes from a node with CPUs to one with memory: the declared route, else the
  /// fewest links and then the lowest nodes. Empty for a node itself, and where no way leads.
  Matrix<NodeId, NodeId, std::vector<Step>> ways;
};

/// Without links where the machine declares none. Errors: failed for text that is no list of links
/// or routes. pre: is_valid(machine).
[[nodiscard]] Result<Links> links_of(const machine::Machine& machine);

}  // namespace homenode::model
