#include "cli/topology/text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "machine/captured.h"

namespace homenode::cli {
namespace {

using machine::Machine;
using machine::MatrixKind;
using machine::Provenance;

Machine with_values(const std::string& name, MatrixKind kind, Provenance provenance) {
  Machine machine = machine::captured(name);
  machine.distances.reset();
  const auto rows = machine.nodes_with_cpus().to_vector();
  const auto columns = machine.nodes_with_memory().to_vector();
  machine.pair_values = {{kind, {rows, columns, 90.0}, provenance}};
  return machine;
}

TEST(TopologyMatrices, HaveRowsForCpusAndColumnsForMemory) {
  Machine machine = with_values("cxl-3", MatrixKind::read_latency, Provenance::measured);
  auto& values = machine.pair_values[0].values;
  values.at(NodeId(0), NodeId(2)) = 255.5;
  values.at(NodeId(1), NodeId(0)) = std::nan("");
  EXPECT_EQ(
      matrices_text(machine),
      "\ndistances: none declared\n"
      "\nread latency in ns (measured; row: the node that asks, column: where the memory is)\n"
      "       node      0      1      2\n"
      "          0     90     90  255.5\n"
      "          1      ?     90     90\n");
}

TEST(TopologyMatrices, TooWideOnesAreListedPerNode) {
  Machine machine = with_values("many-72x1", MatrixKind::bandwidth, Provenance::firmware);
  auto& values = machine.pair_values[0].values;
  values.at(NodeId(0), NodeId(0)) = 12000;
  values.at(NodeId(0), NodeId(7)) = std::nan("");
  const std::string text = matrices_text(machine);
  EXPECT_NE(text.find("\nbandwidth in MiB/s (from the firmware)\n"
                      "  node 0      90 to 1-6,8-71, 12000 to 0, ? to 7\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace homenode::cli
