#include "workloads/message/molecular2d.h"

#include <cassert>
#include <cmath>
#include <optional>

#include "workloads/message/molecules_objects.h"
#include "workloads/message/patch.h"

namespace homenode::workloads::message {
namespace {

constexpr double momentum_rounding = 1e-9;  // Of the sum of all particles' momenta's sizes.
constexpr double allowed_drift = 0.01;      // Of the energy, in kinetic energies of the start.

/// What all patches together know.
struct Totals {
  double particles = 0.0;
  double differences = 0.0;  ///< Particles that are not as in the serial run.
  double momentum_x = 0.0;
  double momentum_y = 0.0;
  double momentum_sizes = 0.0;
  double clipped = 0.0;
  double moves = 0.0;
  double drift = 0.0;
};

bool same(const Particle& a, const Particle& b) {
  return a.id == b.id && a.x == b.x && a.y == b.y && a.vx == b.vx && a.vy == b.vy;
}

double differences(std::span<const Particle> ours, const std::vector<Particle>& right) {
  double count = std::abs(static_cast<double>(ours.size()) - static_cast<double>(right.size()));
  for (std::size_t i = 0; i < std::min(ours.size(), right.size()); ++i) {
    if (!same(ours[i], right[i])) count += 1.0;
  }
  return count;
}

/// From the first step to the last.
double energy_drift(const MoleculesShape& shape, const Molecules& molecules) {
  double kinetic = 0.0;
  double change = 0.0;
  for (unsigned i = 0; i < shape.patches(); ++i) {
    const PatchAccount& account = molecules.patch(i).account();
    if (account.kinetic.empty()) return 0.0;
    kinetic += account.kinetic.front();
    change += account.kinetic.back() - account.kinetic.front();
    change += account.potential.back() - account.potential.front();
  }
  return kinetic > 0.0 ? change / kinetic : 0.0;
}

class Molecular2D final : public MessageProgram {
 public:
  explicit Molecular2D(const MoleculesShape& shape)
      : shape_(shape), channels_(plan_molecules(shape)) {}

  [[nodiscard]] const std::vector<Channel>& channels() const override { return channels_; }

  [[nodiscard]] std::vector<ArrayNeed> arrays() const override {
    return arrays_of(shape_.layout, channels_,
                     {{"particles", shape_.patches() * patch_bytes(shape_), Sharing::parts}});
  }

  ProgramOutcome run(std::span<void* const> memory, unsigned threads) override {
    assert(threads == shape_.layout.pes);
    static_cast<void>(threads);
    Molecules molecules(shape_, channels_, memory[1], memory.size() > 2 ? memory[2] : nullptr);
    const auto pes = pe_memory(memory[0], shape_.layout);
    last_run = run_objects(molecules, pes, team);
    ProgramOutcome outcome;
    if (!last_run.prepared) return outcome;
    outcome.seconds = last_run.seconds;
    outcome.operations = molecules.pairs();
    outcome.unit = "Mpairs/s";
    judge(molecules, outcome);
    return outcome;
  }

 private:
  Totals add_up(const Molecules& molecules) {
    if (!right_) right_ = run_serially(shape_);
    Totals totals;
    for (unsigned i = 0; i < shape_.patches(); ++i) {
      const Patch& patch = molecules.patch(i);
      totals.particles += static_cast<double>(patch.particles().size());
      totals.differences += differences(patch.particles(), (*right_)[i]);
      totals.clipped += static_cast<double>(patch.account().clipped);
      for (const Particle& particle : patch.particles()) {
        totals.momentum_x += particle.mass * particle.vx;
        totals.momentum_y += particle.mass * particle.vy;
        totals.momentum_sizes += particle.mass * std::hypot(particle.vx, particle.vy);
        totals.moves += static_cast<double>(particle.moves);
      }
    }
    totals.drift = energy_drift(shape_, molecules);
    return totals;
  }

  void judge(const Molecules& molecules, ProgramOutcome& outcome) {
    const Totals totals = add_up(molecules);
    const double a_step = shape_.patches() * (2.0 * computes_of_patch + directions.size());
    outcome.checks = {
        {"particles", totals.particles, static_cast<double>(shape_.particles), 0.0},
        {"particles other than in the serial run", totals.differences, 0.0, 0.0},
        {"messages", static_cast<double>(last_run.messages), a_step * shape_.steps, 0.0},
        {"messages left over", static_cast<double>(molecules.messages_missing()), 0.0, 0.0}};
    if (totals.clipped == 0.0) {
      const double size = std::hypot(totals.momentum_x, totals.momentum_y);
      outcome.checks.push_back({"momentum",
                                totals.momentum_sizes > 0.0 ? size / totals.momentum_sizes : 0.0,
                                0.0, momentum_rounding});
    }
    if (!shape_.as_published) {
      outcome.checks.push_back({"drift of the energy", totals.drift, 0.0, allowed_drift});
    }
    outcome.figures = {{"a step", 1e3 * last_run.seconds / shape_.steps, "ms", true},
                       {"drift of the energy", 100.0 * totals.drift, "% of the kinetic"},
                       {"clipped speeds", totals.clipped, ""},
                       {"moves to another patch", totals.moves, ""}};
    if (shape_.as_published) outcome.figures.erase(outcome.figures.begin() + 1);
  }

  MoleculesShape shape_;
  std::vector<Channel> channels_;
  std::optional<std::vector<std::vector<Particle>>> right_;
};

}  // namespace

std::unique_ptr<MessageProgram> make_molecular2d(const MoleculesShape& shape) {
  return std::make_unique<Molecular2D>(shape);
}

Description describe_molecular2d() {
  Description described = description_of(
      "molecular2d", "Molecular2D of Charm++: particles in patches that send them to each other",
      "26 messages for each patch, 14 MiB",
      "copied by patches, read by computes, answered with forces",
      "Molecular2D of Charm++'s examples; Ribeiro et al. 2010");
  described.parameters = {
      whole_number("columns", "5", "patches side by side", least_patches, most_patches),
      whole_number("rows", "5", "patches one above the other", least_patches, most_patches),
      whole_number("particles", "5000", "particles in all patches", 1, most_particles),
      whole_number("steps", "51", "time steps", 1, most_steps),
      whole_number("seed", "1", "seed of the initial positions and velocities", 0),
      on_or_off("as-published", "false",
                "use the example's force law and its ways of counting pairs and moving "
                "particles, which conserve only the number of particles")};
  add_message_parameters(described);
  add_program_parameters(described);
  described.metrics = program_metrics("Mpairs/s", "pairs of particles");
  return described;
}

}  // namespace homenode::workloads::message
