// The order in which tiles are walked.
#include "workloads/seismic/time_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace homenode::workloads::seismic {
namespace {

/// When a row of a plane is worked on in a half step.
struct Turn {
  std::ptrdiff_t tile = -1;
  std::ptrdiff_t position = -1;
};

/// [half][plane][row]
using Turns = std::vector<std::vector<std::vector<Turn>>>;

/// Fails where something comes twice.
Turns turns_of(const Tiles& tiles) {
  const auto count = [](std::ptrdiff_t n) { return static_cast<std::size_t>(n); };
  Turns turns(count(tiles.halves), {count(tiles.nz), std::vector<Turn>(count(tiles.ny), Turn{})});
  for (std::ptrdiff_t tile = 0; tile < tiles.count(); ++tile) {
    for (std::ptrdiff_t position = 0; position < tiles.positions(); ++position) {
      for (std::ptrdiff_t half = 0; half < tiles.halves; ++half) {
        const Rows rows = tiles.at(tile, position, half);
        for (std::ptrdiff_t j = rows.first; j < rows.last; ++j) {
          Turn& turn = turns[count(half)][count(rows.plane)][count(j)];
          EXPECT_EQ(turn.tile, -1);
          turn = {tile, position};
        }
      }
    }
  }
  return turns;
}

/// Whether one half step of a row is done when a later one of another row begins.
bool is_done(const Turn& one, const Turn& later) {
  return one.tile >= 0 && one.tile <= later.tile && one.position <= later.position;
}

TEST(SeismicTimeBlock, EachRowHasOneTurnInEachHalfStepAndWhatItReadsIsReady) {
  for (const Tiles tiles : {Tiles{4, 6, 21, 13}, Tiles{1, 4, 9, 5}, Tiles{40, 2, 9, 3}}) {
    const Turns turns = turns_of(tiles);
    for (std::size_t half = 0; half < turns.size(); ++half) {
      for (std::ptrdiff_t k = 0; k < tiles.nz; ++k) {
        for (std::ptrdiff_t j = 0; j < tiles.ny; ++j) {
          const Turn now = turns[half][static_cast<std::size_t>(k)][static_cast<std::size_t>(j)];
          ASSERT_GE(now.tile, 0);
          if (half == 0) continue;
          for (std::ptrdiff_t dk = -reach; dk <= reach; ++dk) {
            for (std::ptrdiff_t dj = -reach; dj <= reach; ++dj) {
              if (k + dk < 0 || k + dk >= tiles.nz || j + dj < 0 || j + dj >= tiles.ny) continue;
              const Turn& before = turns[half - 1][static_cast<std::size_t>(k + dk)]
                                        [static_cast<std::size_t>(j + dj)];
              EXPECT_TRUE(is_done(before, now));
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace homenode::workloads::seismic
