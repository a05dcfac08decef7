#include "cli/bench/molecular2d.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/bench/message.h"
#include "workloads/message/molecular2d.h"

namespace homenode::cli {
namespace {

namespace message = workloads::message;

class BenchMolecular2D final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "molecular2d"; }
  [[nodiscard]] std::string summary() const override {
    return workloads::message::describe_molecular2d().summary;
  }

  void define(CLI::App& app) override {
    app.add_option("--columns", shape_.columns)->capture_default_str();
    app.add_option("--rows", shape_.rows)->capture_default_str();
    app.add_option("--particles", shape_.particles)->capture_default_str();
    app.add_option("--steps", shape_.steps)->capture_default_str();
    app.add_option("--seed", shape_.seed)->capture_default_str();
    app.add_flag("--as-published", shape_.as_published);
    define_message_options(app, options_);
  }

  int run(Context& context) override {
    const auto done = try_run(context);
    return done ? exit_done : report(context, "bench molecular2d", done.error());
  }

 private:
  [[nodiscard]] Result<void> check() const {
    for (const unsigned count : {shape_.columns, shape_.rows}) {
      if (count < message::least_patches || count > message::most_patches) {
        return bad_usage(
            fmt::format("{} x {} patches are not possible", shape_.columns, shape_.rows),
            fmt::format("give --columns and --rows {} to {}", message::least_patches,
                        message::most_patches));
      }
    }
    if (shape_.particles < shape_.patches() || shape_.particles > message::most_particles) {
      return bad_usage(
          fmt::format("{} patches cannot share {} particles", shape_.patches(), shape_.particles),
          fmt::format("give --particles {} to {}", shape_.patches(), message::most_particles));
    }
    if (shape_.steps == 0 || shape_.steps > message::most_steps) {
      return bad_usage(fmt::format("cannot do {} steps", shape_.steps),
                       fmt::format("give --steps 1 to {}", message::most_steps));
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
