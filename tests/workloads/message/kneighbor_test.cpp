#include "workloads/message/kneighbor.h"

#include <gtest/gtest.h>

#include "workloads/probe_memory.h"

namespace homenode::workloads::message {
namespace {

KNeighborShape small_ring(unsigned pes, unsigned elements) {
  KNeighborShape shape;
  shape.layout.pes = pes;
  shape.elements = elements;
  shape.iterations = 3;
  shape.steps = 4;
  shape.message_bytes = 64;
  return shape;
}

/// What an element receives, message by message and word by word.
std::uint64_t sum_in_turn(const KNeighborShape& shape, std::uint64_t element) {
  std::uint64_t sum = 0;
  for (std::uint64_t step = 0; step < std::uint64_t{shape.iterations} * shape.steps; ++step) {
    for (std::uint64_t sender = 0; sender < shape.elements; ++sender) {
      for (std::uint64_t link = 0; link < 2 * shape.reach; ++link) {
        if (neighbour_of(shape, sender, link) != element) continue;
        const std::uint64_t first = stamp_of(shape, step, sender, link);
        for (std::uint64_t word = 0; word < (shape.touch ? shape.message_bytes / 8 : 1); ++word) {
          sum += first + word;
        }
      }
    }
  }
  return sum;
}

TEST(KNeighborSums, AreThoseOfEveryMessageInTurn) {
  for (const unsigned elements : {1U, 2U, 5U, 7U, 16U}) {
    for (const bool touch : {true, false}) {
      KNeighborShape shape = small_ring(1, elements);
      shape.touch = touch;
      for (unsigned element = 0; element < elements; ++element) {
        EXPECT_EQ(expected_sum(shape, element), sum_in_turn(shape, element)) << elements;
      }
    }
  }
}

TEST(KNeighbor, HasNeighboursNearOnesFirstOnBothSides) {
  const KNeighborShape shape = small_ring(1, 10);
  std::vector<std::uint64_t> found;
  for (unsigned link = 0; link < 6; ++link) found.push_back(neighbour_of(shape, 1, link));
  EXPECT_EQ(found, (std::vector<std::uint64_t>{2, 0, 3, 9, 4, 8}));
}

TEST(KNeighbor, IsVerifiedWithAnyNumberOfPesAndElements) {
  for (const unsigned pes : {1U, 2U, 3U, 8U}) {
    for (const unsigned elements : {1U, 7U, 16U}) {
      for (const bool from_malloc : {false, true}) {
        KNeighborShape shape = small_ring(pes, elements);
        shape.layout.from_malloc = from_malloc;
        const auto program = make_kneighbor(shape);
        const ProgramOutcome outcome = run_probe(*program, pes);
        for (const Check& check : outcome.checks) {
          EXPECT_TRUE(check.passed()) << check.name << ' ' << check.value << ' ' << pes;
        }
        EXPECT_TRUE(outcome.verified());
        EXPECT_EQ(outcome.figures.size(), 2U);
      }
    }
  }
}

TEST(KNeighbor, LeavesPayloadsAloneAsPublished) {
  KNeighborShape shape = small_ring(2, 7);
  shape.touch = false;
  const auto program = make_kneighbor(shape);
  EXPECT_TRUE(run_probe(*program, 2).verified());
}

TEST(KNeighbor, DoesNotBeginWhereAPeIsRefused) {
  const auto program = make_kneighbor(small_ring(2, 7));
  program->team.prepare = [](unsigned pe) { return pe == 0; };
  EXPECT_FALSE(run_probe(*program, 2).verified());
  EXPECT_FALSE(program->last_run.prepared);
}

TEST(KNeighbor, SendsOverChannelsBetweenTheNeighboursOfTheRingAlone) {
  const auto program = make_kneighbor(small_ring(8, 8));
  EXPECT_GE(program->channels().size(), 8U * 6U);
  for (const Channel& channel : program->channels()) {
    const unsigned right = (channel.to + 8 - channel.from) % 8;
    // The fourth of eight is nobody's neighbour; PE 0 conducts.
    EXPECT_TRUE(right != 4 || channel.to == 0 || channel.from == 0);
    EXPECT_EQ(channel.offset % 4096, 0U);
  }
}

}  // namespace
}  // namespace homenode::workloads::message
