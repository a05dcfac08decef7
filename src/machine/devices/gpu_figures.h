// What measurement found between the memory of nodes and a GPU: as text in hwloc's XML, and which
// node it says is nearest. Pure; serves the verbs `measure`, which writes it, and `run --near`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace homenode::machine {

/// Before the GPU's PCI address: the info of a machine's XML that holds its figures.
inline constexpr std::string_view gpu_info_prefix = "homenode:Gpu.";

/// Between the memory of one node and a GPU. 0 for what is not known.
struct GpuFigures {
  NodeId node;
  double to_mibs = 0.0;     ///< Copies from the node's memory to the GPU, MiB/s.
  double from_mibs = 0.0;   ///< Copies from the GPU to the node's memory, MiB/s.
  double latency_ns = 0.0;  ///< A load of the GPU from the node's memory.
  friend bool operator==(const GpuFigures&, const GpuFigures&) = default;
};

/// "node 0: 52341 MiB/s to it, 53210 MiB/s from it, 1100 ns; node 1: …"; whole numbers.
std::string gpu_info(const std::vector<GpuFigures>& figures);
/// What gpu_info() wrote; empty for any other text.
std::vector<GpuFigures> parse_gpu_info(std::string_view text);

/// The info of the GPU at a PCI address in hwloc's XML; empty where the XML has none.
std::string find_gpu_info(std::string_view xml, std::string_view address);

/// The node from whose memory the GPU loads fastest; where no latency is known, that with the most
/// bandwidth to it. `firmware`'s own node where its figure is within 2 % of the best, which noise
/// may be. Nothing without figures.
std::optional<NodeId> nearest_node(const std::vector<GpuFigures>& figures,
                                   std::optional<NodeId> firmware);

}  // namespace homenode::machine
