// The fake machine of these tests, nodes 0-2 and 7 with two CPUs each, and regions on it.
#pragma once

#include <gtest/gtest.h>

#include "actuation/region.h"
#include "support/machines.h"

namespace homenode::actuation {

inline const std::vector<NodeId> four_nodes{NodeId(0), NodeId(1), NodeId(2), NodeId(7)};

inline os::FakeMachine four_node_machine() {
  return kernel_of({0, 1, 2, 7});
}

inline Region map_region(os::Os& os, std::size_t pages) {
  Region region{nullptr, pages * os.page_bytes()};
  EXPECT_EQ(os.map_memory(region.bytes, region.address), 0);
  return region;
}

inline char* page_at(Region region, std::size_t page) {
  return static_cast<char*>(region.address) + page * os::fake_page_bytes;
}

}  // namespace homenode::actuation
