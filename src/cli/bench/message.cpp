// homenode bench kneighbor and molecular2d: message-driven programs. What they share is here too:
// where messages lie, where PEs run, and the way from options to a report.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/bench/program.h"
#include "cli/bench/table.h"
#include "cli/options.h"
#include "trial/message/run.h"
#include "workloads/message/kneighbor.h"
#include "workloads/message/molecular2d.h"

namespace homenode::cli {
namespace {

namespace message = workloads::message;

constexpr Choices<trial::MessageRule, 5> rules{{{"sender", trial::MessageRule::sender},
                                                {"receiver", trial::MessageRule::receiver},
                                                {"first-touch", trial::MessageRule::first_touch},
                                                {"strategy", trial::MessageRule::strategy},
                                                {"malloc", trial::MessageRule::from_malloc}}};

struct MessageOptions {
  ProgramOptions program;
  trial::MessageRule rule = trial::MessageRule::sender;
  std::string bind;  ///< Empty: one PE after the other over the allowed CPUs.
};

/// A program of this many PEs.
using MessageProgramMaker = std::function<std::unique_ptr<workloads::message::MessageProgram>(
    const workloads::message::Layout& layout)>;

void define_message_options(CLI::App& app, MessageOptions& options) {
  add_choice(app, "--messages", options.rule, rules);
  app.add_option("--bind", options.bind)->type_name("CPUS|none");
  define_program_options(app, options.program);
}

/// Checks, makes the program, runs it in turn with the peers, prints and writes the report; then
/// says if a run was not verified. The rule and --bind are added to what the title says.
/// Errors: those of plan_messages(), check_setup(), run_messages(), run_peer(), check_verified().
Result<void> bench_messages(Context& context, const MessageProgramMaker& make, ProgramTitle title,
                            const MessageOptions& options) {
  const auto machine = machine_of(context);
  if (!machine) return machine.as_unexpected();
  const trial::ProgramSetup program = setup_of(options.program, *machine);
  if (auto good = trial::check_threads_of(*machine, program); !good) return good;
  const auto setup = trial::plan_messages(*machine, program, options.rule, options.bind);
  if (!setup) return setup.as_unexpected();
  const auto made = make({.pes = program.threads,
                          .page_bytes = context.os.page_bytes(),
                          .from_malloc = options.rule == trial::MessageRule::from_malloc});
  title.what["messages"] = name_of(rules, options.rule);
  title.what["bind"] = options.bind.empty() ? "compact" : options.bind;
  const ProgramRunner runner = [&](const std::function<void(unsigned)>& after_run) {
    return trial::run_messages(context.os, *machine, *made, *setup, after_run);
  };
  return bench_program_by(context, *machine, *made, title, options.program, runner);
}

constexpr unsigned most_links = 1U << 20U;

class BenchKNeighbor final : public Workload {
 public:
  BenchKNeighbor() : Workload(message::describe_kneighbor()) {}

  void define_options(CLI::App& app) override {
    app.add_option("--elements", elements_);
    app.add_option("--neighbours", shape_.reach)->capture_default_str();
    app.add_option("--iterations", shape_.iterations)->capture_default_str();
    app.add_option("--steps", shape_.steps)->capture_default_str();
    add_size_option(app, "--message-size", size_, "", "1K");
    app.add_flag("--as-published", as_published_);
    define_message_options(app, options_);
  }

 private:
  [[nodiscard]] Result<void> check() const {
    if (elements_ && (*elements_ == 0 || *elements_ > message::most_elements)) {
      return bad_usage(fmt::format("--elements {} is out of range", *elements_),
                       fmt::format("give --elements 1 to {}", message::most_elements));
    }
    const std::uint64_t links = std::uint64_t{elements_.value_or(1)} * 2 * shape_.reach;
    if (shape_.reach == 0 || links > most_links) {
      return bad_usage(fmt::format("--neighbours {} is out of range", shape_.reach),
                       "give --neighbours 1 or more, such as the published 3");
    }
    for (const unsigned rounds : {shape_.iterations, shape_.steps}) {
      if (rounds == 0 || rounds > message::most_rounds) {
        return bad_usage(
            fmt::format("{} iterations or steps are out of range", rounds),
            fmt::format("give --iterations and --steps 1 to {}", message::most_rounds));
      }
    }
    if (size_.value == 0 || size_.value % 8 != 0 || size_.value > message::most_message_bytes) {
      return bad_usage(fmt::format("--message-size {} is out of range", size_.value),
                       "give --message-size a multiple of 8 up to 1g");
    }
    return {};
  }

  Result<void> try_run(Context& context) override {
    if (auto checked = check(); !checked) return checked;
    shape_.message_bytes = size_.value;
    shape_.touch = !as_published_;
    const auto make = [this](const message::Layout& layout) {
      shape_.layout = layout;
      shape_.elements = elements_.value_or(std::max(layout.pes, 2 * shape_.reach + 1));
      return message::make_kneighbor(shape_);
    };
    const ProgramTitle title{
        fmt::format("kNeighbor, k = {}, messages of {} bytes", shape_.reach, size_.value),
        "homenode.bench.kneighbor/2",
        {{"elements", elements_ ? nlohmann::ordered_json(*elements_) : nullptr},
         {"neighbours", shape_.reach},
         {"iterations", shape_.iterations},
         {"steps", shape_.steps},
         {"message_bytes", size_.value},
         {"as_published", as_published_}}};
    return bench_messages(context, make, title, options_);
  }

  std::optional<unsigned> elements_;
  message::KNeighborShape shape_;
  Bytes size_{1024};
  bool as_published_ = false;
  MessageOptions options_;
};

class BenchMolecular2D final : public Workload {
 public:
  BenchMolecular2D() : Workload(message::describe_molecular2d()) {}

  void define_options(CLI::App& app) override {
    app.add_option("--columns", shape_.columns)->capture_default_str();
    app.add_option("--rows", shape_.rows)->capture_default_str();
    app.add_option("--particles", shape_.particles)->capture_default_str();
    app.add_option("--steps", shape_.steps)->capture_default_str();
    app.add_option("--seed", shape_.seed)->capture_default_str();
    app.add_flag("--as-published", shape_.as_published);
    define_message_options(app, options_);
  }

 private:
  [[nodiscard]] Result<void> check() const {
    for (const unsigned count : {shape_.columns, shape_.rows}) {
      if (count < message::least_patches || count > message::most_patches) {
        return bad_usage(
            fmt::format("{} x {} patches are out of range", shape_.columns, shape_.rows),
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
      return bad_usage(fmt::format("--steps {} is out of range", shape_.steps),
                       fmt::format("give --steps 1 to {}", message::most_steps));
    }
    return {};
  }

  Result<void> try_run(Context& context) override {
    if (auto checked = check(); !checked) return checked;
    const auto make = [this](const message::Layout& layout) {
      shape_.layout = layout;
      return message::make_molecular2d(shape_);
    };
    const ProgramTitle title{fmt::format("Molecular2D, {} x {} patches, {} particles",
                                         shape_.columns, shape_.rows, shape_.particles),
                             "homenode.bench.molecular2d/2",
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

std::unique_ptr<Verb> make_bench_kneighbor() {
  return std::make_unique<BenchKNeighbor>();
}

std::unique_ptr<Verb> make_bench_molecular2d() {
  return std::make_unique<BenchMolecular2D>();
}

}  // namespace homenode::cli
