#include "workloads/message/molecular2d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "workloads/message/patch.h"
#include "workloads/probe_memory.h"

namespace homenode::workloads::message {
namespace {

MoleculesShape small_gas(unsigned pes) {
  MoleculesShape shape;
  shape.layout.pes = pes;
  shape.particles = 400;
  shape.steps = 12;
  return shape;
}

TEST(Molecules, PairEveryPatchWithItselfAndEachNeighbourOnce) {
  const MoleculesShape shape;
  std::set<std::set<unsigned>> pairs;
  for (unsigned i = 0; i < computes_per_patch * shape.patches(); ++i) {
    const Compute compute = compute_of(shape, i);
    EXPECT_TRUE(pairs.insert({compute.first, compute.second}).second) << i;
  }
  EXPECT_EQ(pairs.size(), 125U);
  for (unsigned patch = 0; patch < shape.patches(); ++patch) {
    std::set<unsigned> computes;
    for (unsigned place = 0; place < computes_of_patch; ++place) {
      const Compute compute = compute_of(shape, patch_compute(shape, patch, place));
      EXPECT_EQ(place < computes_per_patch ? compute.first : compute.second, patch);
      computes.insert(patch_compute(shape, patch, place));
    }
    EXPECT_EQ(computes.size(), computes_of_patch);
  }
}

TEST(Molecules, LieBesideEachOtherAcrossTheEdges) {
  const MoleculesShape shape;
  for (unsigned i = 0; i < computes_per_patch * shape.patches(); ++i) {
    const Compute compute = compute_of(shape, i);
    const auto left = [&](unsigned patch) { return static_cast<double>(patch % shape.columns); };
    const auto below = [&](unsigned patch) { return std::floor(patch / 5.0); };
    EXPECT_LE(std::abs(left(compute.second) + compute.shift_x - left(compute.first)), 1.0);
    EXPECT_LE(std::abs(below(compute.second) + compute.shift_y - below(compute.first)), 1.0);
  }
}

TEST(Molecules, StartAtRestTogetherAndEachInItsPatch) {
  for (const bool as_published : {false, true}) {
    MoleculesShape shape;
    shape.as_published = as_published;
    std::uint64_t id = 0;
    for (unsigned patch = 0; patch < shape.patches(); ++patch) {
      double momentum = 0.0;
      const auto particles = first_particles(shape, patch);
      EXPECT_EQ(particles.size(), 200U);
      for (const Particle& particle : particles) {
        EXPECT_EQ(particle.id, id++);
        EXPECT_EQ(std::floor(particle.x), patch % 5);
        EXPECT_EQ(std::floor(particle.y), std::floor(patch / 5.0));
        momentum += particle.vx + particle.vy;
      }
      EXPECT_NEAR(momentum, 0.0, 1e-9);
    }
  }
}

/// The potential of two particles at a distance, and the force on the first.
struct TwoParticles {
  double potential = 0.0;
  Force force;
};
TwoParticles two(const MoleculesShape& shape, double distance) {
  const std::vector<Particle> particles{{.x = 2.0, .y = 2.0}, {.x = 2.0 + distance, .y = 2.0}};
  ComputeSpace space(2);
  std::vector<Force> forces(2);
  TwoParticles result;
  result.potential = space.compute({0, 0}, law_of(shape), particles, particles);
  space.copy_forces(0, forces);
  EXPECT_EQ(forces[0].x, -forces[1].x);
  result.force = forces[0];
  return result;
}

TEST(Molecules, AreDrivenByTheSlopeOfThePotentialUpToADistanceOfOne) {
  const MoleculesShape shape;
  for (const double distance : {0.06, 0.07, 0.1, 0.5, 0.9}) {
    const double h = 1e-6 * distance;
    const double slope =
        (two(shape, distance + h).potential - two(shape, distance - h).potential) / (2 * h);
    // Towards larger x the distance of the first falls.
    EXPECT_NEAR(two(shape, distance).force.x, slope, 1e-5 * std::abs(slope) + 1e-12) << distance;
  }
  EXPECT_EQ(two(shape, 1.0).force.x, 0.0);
  EXPECT_NEAR(two(shape, 1.0 - 1e-9).potential, 0.0, 1e-12);
}

TEST(Molecules, RepelAsPublishedWithTheLawOfTheExampleFromBothEnds) {
  MoleculesShape shape;
  shape.as_published = true;
  const double f = 2 / std::pow(0.8, 12) - 1 / std::pow(0.8, 6);
  EXPECT_NEAR(two(shape, 0.8).force.x, -2 * f, 1e-9);
}

TEST(Molecular2D, IsVerifiedWithAnyNumberOfPes) {
  for (const unsigned pes : {1U, 2U, 3U, 8U, 30U}) {
    for (const bool from_malloc : {false, true}) {
      MoleculesShape shape = small_gas(pes);
      shape.layout.from_malloc = from_malloc;
      const auto program = make_molecular2d(shape);
      const ProgramOutcome outcome = run_probe(*program, pes);
      for (const Check& check : outcome.checks) {
        EXPECT_TRUE(check.passed()) << check.name << ' ' << check.value << ' ' << pes;
      }
      EXPECT_EQ(outcome.checks.size(), 6U);
    }
  }
}

TEST(Molecular2D, MovesParticlesFromPatchToPatch) {
  MoleculesShape shape = small_gas(2);
  shape.steps = 60;
  const auto program = make_molecular2d(shape);
  const ProgramOutcome outcome = run_probe(*program, 2);
  EXPECT_TRUE(outcome.verified());
  ASSERT_EQ(outcome.figures.back().name, "moves to another patch");
  EXPECT_GT(outcome.figures.back().value, 10.0);
}

TEST(Molecular2D, KeepsAllParticlesAsPublishedThoughSpeedsAreClipped) {
  MoleculesShape shape = small_gas(3);
  shape.as_published = true;
  const auto program = make_molecular2d(shape);
  const ProgramOutcome outcome = run_probe(*program, 3);
  EXPECT_TRUE(outcome.verified());
  EXPECT_EQ(outcome.checks.size(), 4U);  // Neither momentum nor energy.
}

TEST(Molecular2D, FollowsItsSeed) {
  MoleculesShape shape = small_gas(1);
  const auto one = run_serially(shape);
  const auto again = run_serially(shape);
  shape.seed = 2;
  const auto other = run_serially(shape);
  EXPECT_EQ(one[0][0].x, again[0][0].x);
  EXPECT_NE(one[0][0].x, other[0][0].x);
}

}  // namespace
}  // namespace homenode::workloads::message
