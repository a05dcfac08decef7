#include "placement/array_blocks.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace homenode::placement {
namespace {

std::vector<NodeId> nodes_up_to(std::size_t count) {
  std::vector<NodeId> nodes;
  for (unsigned i = 0; i < count; ++i) nodes.push_back(NodeId(3 * i + 1));
  return nodes;
}

std::string letters(const Result<PageMap>& map) {
  EXPECT_TRUE(map) << map.error().message();
  std::string text;
  if (map) {
    for (NodeId node : *map) text += static_cast<char>('a' + (node.value() - 1) / 3);
  }
  return text;
}

std::size_t part_of(const Cut& cut, std::size_t extent, std::size_t index) {
  if (cut.indices_in_turn > 0) return index / cut.indices_in_turn % cut.parts;
  std::size_t end = 0;
  for (std::size_t part = 0;; ++part) {
    end += extent / cut.parts + (part < extent % cut.parts ? 1 : 0);
    if (index < end) return part;
  }
}

/// Byte by byte, with nothing clever.
PageMap slow_map(const ArrayShape& shape, const std::vector<Cut>& cuts,
                 const std::vector<NodeId>& nodes, std::size_t page_bytes) {
  std::size_t elements = 1;
  for (std::size_t extent : shape.extents) elements *= extent;
  PageMap map;
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> bytes_and_first;  // By cell.
  for (std::size_t byte = 0; byte < elements * shape.element_bytes; ++byte) {
    std::size_t rest = byte / shape.element_bytes;
    std::vector<std::size_t> index(shape.extents.size());
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::size_t d = shape.order == ArrayOrder::c ? index.size() - 1 - i : i;
      index[d] = rest % shape.extents[d];
      rest /= shape.extents[d];
    }
    std::size_t cell = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      cell = cell * cuts[d].parts + part_of(cuts[d], shape.extents[d], index[d]);
    }
    ++bytes_and_first.try_emplace(cell, 0, byte).first->second.first;
    if (byte % page_bytes == page_bytes - 1 || byte + 1 == elements * shape.element_bytes) {
      auto best = bytes_and_first.begin();
      for (auto at = best; at != bytes_and_first.end(); ++at) {
        const auto [bytes, first] = at->second;
        if (bytes > best->second.first ||
            (bytes == best->second.first && first < best->second.second)) {
          best = at;
        }
      }
      map.push_back(nodes[best->first]);
      bytes_and_first.clear();
    }
  }
  return map;
}

TEST(ArrayBlocks, RowsAreContiguousInC) {
  const auto map = array_rows({{10, 8}, 8}, nodes_up_to(4), 64);
  EXPECT_EQ(letters(map), "aaabbbccdd");
}

TEST(ArrayBlocks, ColumnsRecurInEachRowInC) {
  EXPECT_EQ(letters(array_columns({{3, 16}, 8}, nodes_up_to(2), 64)), "ababab");
  EXPECT_EQ(letters(array_columns({{3, 16}, 8, ArrayOrder::fortran}, nodes_up_to(2), 64)),
            "aaabbb");
}

TEST(ArrayBlocks, RowsRecurInEachColumnInFortran) {
  EXPECT_EQ(letters(array_rows({{16, 3}, 8, ArrayOrder::fortran}, nodes_up_to(2), 64)), "ababab");
}

TEST(ArrayBlocks, CyclicRowsAndColumns) {
  EXPECT_EQ(letters(array_rows({{7, 8}, 8}, nodes_up_to(2), 64, 2)), "aabbaab");
  EXPECT_EQ(letters(array_columns({{2, 24}, 8}, nodes_up_to(2), 64, 8)), "abaaba");
}

TEST(ArrayBlocks, ASharedPageGoesToMostOfItsBytesAndOfEqualsToTheFirst) {
  EXPECT_EQ(letters(array_rows({{3}, 64}, nodes_up_to(3), 96)), "ac");
  EXPECT_EQ(letters(array_rows({{2}, 32}, nodes_up_to(2), 64)), "a");
  EXPECT_EQ(letters(array_columns({{4, 2}, 8}, nodes_up_to(2), 64)), "a");
}

TEST(ArrayBlocks, CutsACubeInCubesAndAPlateInStrips) {
  // 8 nodes on a cube: 2 x 2 x 2; one page for each (i, j, half of k).
  EXPECT_EQ(letters(array_blocks({{4, 4, 4}, 32}, nodes_up_to(8), 64)),
            "ababcdcdababcdcdefefghghefefghgh");
  EXPECT_EQ(letters(array_blocks({{1000, 8}, 8}, nodes_up_to(4), 64 * 250)), "abcd");
  EXPECT_EQ(letters(array_blocks({{8}, 8}, nodes_up_to(4), 16)), "abcd");
}

TEST(ArrayBlocks, OfEqualWaysCutsTheContiguousIndexLeast) {
  EXPECT_EQ(letters(array_blocks({{8, 8}, 8}, nodes_up_to(2), 64)), "aaaabbbb");
  EXPECT_EQ(letters(array_blocks({{8, 8}, 8, ArrayOrder::fortran}, nodes_up_to(2), 64)),
            "aaaabbbb");
}

TEST(ArrayBlocks, IsWhatCountingByteByByteGives) {
  std::mt19937 random(17);
  for (int round = 0; round < 400; ++round) {
    ArrayShape shape{std::vector<std::size_t>(random() % 4 + 1), random() % 9 + 1,
                     random() % 2 == 0 ? ArrayOrder::c : ArrayOrder::fortran};
    std::vector<Cut> cuts;
    std::size_t cells = 1;
    for (std::size_t& extent : shape.extents) {
      extent = random() % 9 + 1;
      cuts.push_back({random() % 3 + 1, random() % 3});
      cells *= cuts.back().parts;
    }
    const std::size_t page_bytes = random() % 64 + 1;
    const auto map = array_cells(shape, cuts, nodes_up_to(cells), page_bytes);
    ASSERT_TRUE(map) << map.error().message();
    ASSERT_EQ(*map, slow_map(shape, cuts, nodes_up_to(cells), page_bytes)) << "round " << round;
  }
}

TEST(ArrayBlocks, UsesEveryNodeOfANumberThatIsNoCube) {
  for (std::size_t count = 1; count <= 12; ++count) {
    for (ArrayOrder order : {ArrayOrder::c, ArrayOrder::fortran}) {
      const auto map = array_blocks({{24, 24, 24, 2}, 8, order}, nodes_up_to(count), 8);
      ASSERT_TRUE(map) << map.error().message();
      std::map<NodeId, std::size_t> pages;
      for (NodeId node : *map) ++pages[node];
      EXPECT_EQ(pages.size(), count);
    }
  }
}

TEST(ArrayBlocks, RefusesWhatIsNoArray) {
  const std::vector<NodeId> nodes = nodes_up_to(2);
  for (const ArrayShape& shape :
       std::vector<ArrayShape>{{{}, 8},
                               {{1, 2, 3, 4, 5}, 8},
                               {{4, 0}, 8},
                               {{4}, 0},
                               {{std::size_t{1} << 40, std::size_t{1} << 40}, 8}}) {
    for (const auto& map : {array_rows(shape, nodes, 64), array_columns(shape, nodes, 64),
                            array_blocks(shape, nodes, 64)}) {
      ASSERT_FALSE(map);
      EXPECT_EQ(map.error().code, ErrorCode::bad_usage);
    }
  }
  EXPECT_FALSE(array_columns({{4}, 8}, nodes, 64));
  EXPECT_FALSE(array_rows({{4}, 8}, {}, 64));
  EXPECT_FALSE(array_blocks({{4}, 8}, {}, 64));
  const std::vector<Cut> three{{3, 0}};
  EXPECT_FALSE(array_cells({{4}, 8}, three, nodes, 64));
  EXPECT_FALSE(array_cells({{4, 4}, 8}, three, nodes_up_to(3), 64));
}

}  // namespace
}  // namespace homenode::placement
