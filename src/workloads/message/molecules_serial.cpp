#include "workloads/message/molecules_serial.h"

namespace homenode::workloads::message {
namespace {

/// Lists of particles with room for as many as a message has.
class Lists {
 public:
  Lists(std::size_t lists, std::size_t room) : particles_(lists * room), room_(room) {}
  [[nodiscard]] ParticleList at(std::size_t list) {
    return {particles_.data() + list * room_, room_, 0};
  }

 private:
  std::vector<Particle> particles_;
  std::size_t room_;
};

class Serial {
 public:
  explicit Serial(const MoleculesShape& shape)
      : shape_(shape),
        rooms_(shape.patches(), shape.room()),
        leaving_(std::size_t{8} * shape.patches(), shape.room()),
        space_(shape.room()),
        forces_(std::size_t{2} * computes_per_patch * shape.patches()),
        potentials_(std::size_t{computes_per_patch} * shape.patches()) {
    for (unsigned i = 0; i < shape.patches(); ++i) patches_.emplace_back(shape, i, rooms_.at(i));
  }

  void step() {
    for (unsigned i = 0; i < potentials_.size(); ++i) compute(i);
    for (unsigned i = 0; i < patches_.size(); ++i) move(i);
    migrate();
  }

  [[nodiscard]] std::vector<std::vector<Particle>> result() const {
    std::vector<std::vector<Particle>> all;
    for (const Patch& patch : patches_) {
      all.emplace_back(patch.particles().begin(), patch.particles().end());
    }
    return all;
  }

 private:
  void compute(unsigned number) {
    const Compute compute = compute_of(shape_, number);
    const auto first = patches_[compute.first].particles();
    const auto second = patches_[compute.second].particles();
    potentials_[number] = space_.compute(compute, law_of(shape_), first, second);
    for (unsigned side = 0; side < (compute.self() ? 1U : 2U); ++side) {
      std::vector<Force>& forces = forces_[2 * number + side];
      forces.resize((side == 0 ? first : second).size());
      space_.copy_forces(side, forces);
    }
  }

  void move(unsigned number) {
    std::array<ForcesOfCompute, computes_of_patch> forces;
    double potential = 0.0;
    for (unsigned place = 0; place < computes_of_patch; ++place) {
      const unsigned compute = patch_compute(shape_, number, place);
      forces[place] = forces_[2 * compute + (place < computes_per_patch ? 0 : 1)];
      if (place < computes_per_patch) potential += potentials_[compute];
    }
    patches_[number].move(forces, potential);
  }

  void migrate() {
    std::vector<std::array<ParticleList, 8>> leavers(patches_.size());
    for (std::size_t i = 0; i < patches_.size(); ++i) {
      for (std::size_t way = 0; way < 8; ++way) leavers[i][way] = leaving_.at(8 * i + way);
      patches_[i].take_leavers(leavers[i]);
    }
    for (unsigned i = 0; i < patches_.size(); ++i) {
      for (unsigned way = 0; way < 8; ++way) {
        patches_[i].take_in(leavers[neighbour_patch(shape_, i, way)][opposite(way)].all());
      }
    }
  }

  const MoleculesShape& shape_;
  Lists rooms_;
  Lists leaving_;
  ComputeSpace space_;
  std::vector<std::vector<Force>> forces_;  // By compute and side.
  std::vector<double> potentials_;          // By compute.
  std::vector<Patch> patches_;
};

}  // namespace

std::vector<std::vector<Particle>> run_serially(const MoleculesShape& shape) {
  Serial serial(shape);
  for (unsigned step = 0; step < shape.steps; ++step) serial.step();
  return serial.result();
}

}  // namespace homenode::workloads::message
