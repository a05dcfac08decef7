#include "cli/bench/molecular2d.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/bench/message.h"
#include "workloads/message/molecular2d.h"

namespace homenode::cli {
namespace {

namespace message = workloads::message;

constexpr unsigned least_patches = 3;
constexpr unsigned most_patches = 64;
constexpr unsigned most_particles = 10'000'000;
constexpr unsigned most_steps = 1'000'000;

class BenchMolecular2D final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "molecular2d"; }
  [[nodiscard]] std::string summary() const override {
    return "Molecular2D of Charm++: particles in patches that send them to each other";
  }

  void define(CLI::App& app) override {
    app.add_option("--columns", shape_.columns, "patches side by side")->capture_default_str();
    app.add_option("--rows", shape_.rows, "patches one above the other")->capture_default_str();
    app.add_option("--particles", shape_.particles, "of all patches")->capture_default_str();
    app.add_option("--steps", shape_.steps, "steps in time")->capture_default_str();
    app.add_option("--seed", shape_.seed, "of the first places and speeds")->capture_default_str();
    app.add_flag("--as-published", shape_.as_published,
                 "the example's law of force and its ways of counting pairs and moving particles, "
                 "which conserve nothing but particles");
    define_message_options(app, options_);
  }

  int run(Context& context) override {
    const auto done = try_run(context);
    return done ? exit_done : report(context, "bench molecular2d", done.error());
  }

 private:
  [[nodiscard]] Result<void> check() const {
    for (const unsigned count : {shape_.columns, shape_.rows}) {
      if (count < least_patches || count > most_patches) {
        return bad_usage(
            fmt::format("{} x {} patches are not possible", shape_.columns, shape_.rows),
            fmt::format("give --columns and --rows {} to {}", least_patches, most_patches));
      }
    }
    if (shape_.particles < shape_.patches() || shape_.particles > most_particles) {
      return bad_usage(
          fmt::format("{} patches cannot share {} particles", shape_.patches(), shape_.particles),
          fmt::format("give --particles {} to {}", shape_.patches(), most_particles));
    }
    if (shape_.steps == 0 || shape_.steps > most_steps) {
      return bad_usage(fmt::format("cannot do {} steps", shape_.steps),
                       fmt::format("give --steps 1 to {}", most_steps));
    }
    return {};
  }

  Result<void> try_run(Context& context) {
    if (auto checked = check(); !checked) return checked;
    const auto make = [this](const message::Layout& layout) {
      shape_.layout = layout;
      return message::make_molecular2d(shape_);
    };
    const ProgramTitle title{fmt::format("Molecular2D, {} x {} patches, {} particles",
                                         shape_.columns, shape_.rows, shape_.particles),
                             "homenode.bench.molecular2d/1",
                             {{"columns", shape_.columns},
                              {"rows", shape_.rows},
                              {"particles", shape_.particles},
                              {"steps", shape_.steps},
                              {"seed", shape_.seed},
                              {"as_published", shape_.as_published}}};
    return bench_messages(context, make, title, options_);
  }

  message::MoleculesShape shape_;
  MessageOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_bench_molecular2d() {
  return std::make_unique<BenchMolecular2D>();
}

}  // namespace homenode::cli
