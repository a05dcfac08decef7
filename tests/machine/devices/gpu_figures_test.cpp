// What was measured of a GPU: as text and back, and which node it says is nearest.
#include "machine/devices/gpu_figures.h"

#include <gtest/gtest.h>

namespace homenode::machine {
namespace {

const std::vector<GpuFigures> two{{NodeId(0), 52341, 53210, 1400}, {NodeId(3), 52300, 53000, 1100}};
constexpr const char* two_in_words =
    "node 0: 52341 MiB/s to it, 53210 MiB/s from it, 1400 ns; "
    "node 3: 52300 MiB/s to it, 53000 MiB/s from it, 1100 ns";

TEST(GpuFigures, AreTextAndBack) {
  EXPECT_EQ(gpu_info(two), two_in_words);
  EXPECT_EQ(parse_gpu_info(two_in_words), two);
  for (const char* text : {"", "node", "node 0: 1 MiB/s to it", "near node 0"}) {
    EXPECT_TRUE(parse_gpu_info(text).empty()) << text;
  }
  EXPECT_TRUE(parse_gpu_info(std::string(two_in_words) + "; ").empty());
  EXPECT_TRUE(parse_gpu_info(std::string(two_in_words) + " more").empty());
}

TEST(GpuFigures, AreFoundInTheXmlOfAMachine) {
  const std::string xml = std::string(
                              "<topology><object type=\"Machine\"><info "
                              "name=\"homenode:Gpu.0000:3b:00.0\" value=\"") +
                          two_in_words + "\"/></object></topology>";
  EXPECT_EQ(find_gpu_info(xml, "0000:3b:00.0"), two_in_words);
  EXPECT_EQ(find_gpu_info(xml, "0000:3c:00.0"), "");
  EXPECT_EQ(find_gpu_info("no XML <", "0000:3b:00.0"), "");
}

TEST(GpuFigures, SayTheNearestNode) {
  EXPECT_EQ(nearest_node({}, NodeId(0)), std::nullopt);
  EXPECT_EQ(nearest_node(two, std::nullopt), NodeId(3));
  EXPECT_EQ(nearest_node(two, NodeId(0)), NodeId(3)) << "the firmware is wrong";
  EXPECT_EQ(nearest_node({{NodeId(0), 1, 1, 1110}, {NodeId(3), 1, 1, 1100}}, NodeId(0)), NodeId(0))
      << "both are as near";
  EXPECT_EQ(nearest_node({{NodeId(0), 50, 1, 0}, {NodeId(3), 40, 1, 0}}, NodeId(3)), NodeId(0))
      << "without latencies the bandwidth decides";
}

}  // namespace
}  // namespace homenode::machine
