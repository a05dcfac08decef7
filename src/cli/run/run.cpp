// homenode run: starts a program under a placement, with numactl's own command line. Read, plan,
// explain or apply, start.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "actuation/process_state.h"
#include "actuation/shared_memory_policy.h"
#include "cli/invoke.h"
#include "cli/run/explain.h"
#include "cli/run/facts.h"
#include "cli/run/options.h"
#include "cli/table.h"
#include "launch/charm.h"
#include "launch/emit.h"
#include "launch/plan.h"
#include "launch/recipe.h"
#include "launch/start.h"
#include "machine/hardware.h"
#include "machine/quick_machine.h"

namespace homenode::cli {
namespace {

/// The arguments with `options` in the place of --recipe, which the parser has found among them.
std::vector<std::string> with_recipe(std::vector<std::string> arguments,
                                     const std::vector<std::string>& options) {
  const auto at = std::find_if(arguments.begin(), arguments.end(), [](const std::string& text) {
    return text.starts_with("--rec");  // No other option begins so.
  });
  if (at == arguments.end()) return arguments;
  const bool joined = at->find('=') != std::string::npos;
  const auto next = arguments.erase(at, at + (joined ? 1 : 2));
  arguments.insert(next, options.begin(), options.end());
  return arguments;
}

/// What is to be done, and the machine that it was planned for.
struct Planned {
  machine::Machine machine;
  launch::RunPlan plan;
};

void print(Context& context, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) context.err << "homenode run: " << note << '\n';
}

class Run final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "run"; }
  [[nodiscard]] bool runs_program() const override { return true; }
  [[nodiscard]] std::size_t launcher_arguments(const std::string& argument) const override {
    return launch::charm_length(argument);
  }
  void take_program(std::vector<std::string> program) override { program_ = std::move(program); }
  void define(CLI::App& app) override { options_.define(app); }

  [[nodiscard]] std::vector<Example> examples() const override {
    return {{"homenode run --cpunodebind=0 --localalloc -- sort /etc/passwd",
             "A program on the CPUs of node 0, with its memory there too"},
            {"homenode run --interleave=all --explain --json", "What a placement would set"},
            {"homenode run --threads cores --explain -- sort /etc/passwd",
             "Which CPU each thread would have, in the order of their creation"},
            {"homenode run --membind=0 --emit slurm -- sort /etc/passwd",
             "The same placement for another launcher"},
            {"homenode run --length=1m --file=/dev/shm/homenode-example --interleave=all --dump",
             "A file of shared memory, page by page over all nodes"},
            {"homenode run --machine quad-4x2 --membind=3 --show",
             "The placement that holds on node 3 of a virtual machine"}};
  }

  int run(Context& context) override {
    if (!options_.recipe().empty()) return run_recipe(context);
    const auto order = options_.read(std::move(program_));
    if (!order) return report(context, name(), order.error());
    const bool full = launch::needs_full_machine(order->request);
    if (full && context.full_machine == nullptr) return become_native(context, context.arguments);
    auto planned = plan(context, *order, full);
    if (!planned) return report(context, name(), planned.error());
    const auto done = order->prints.instead_of_program() || order->request.segment
                          ? print_instead(context, *order, *planned)
                          : apply(context, *order, *planned);
    if (!done) return report(context, name(), done.error());
    if (order->prints.instead_of_program() || order->request.segment) return exit_done;
    return start(context, planned->plan);
  }

 private:
  /// The same command with the recipe's options, after what differs from where it was found.
  int run_recipe(Context& context) {
    const auto recipe = launch::read_recipe(context.os, options_.recipe());
    if (!recipe) return report(context, name(), recipe.error());
    const auto machine = machine::read_quick_machine(context.os);
    if (!machine) return report(context, name(), machine.error());
    const std::string program = program_.empty() ? "" : program_.front();
    for (const std::string& difference : launch::recipe_differences(
             *recipe, *machine, launch::processor_model(context.os), program)) {
      print(context, {fmt::format("{} was found {}; tune again to be sure that it helps",
                                  options_.recipe(), difference)});
    }
    std::vector<std::string> arguments(context.arguments.begin() + 1, context.arguments.end());
    Run inner;
    return invoke(context, inner, with_recipe(std::move(arguments), recipe->options));
  }

  /// The live machine, or none at all where nothing asks for it, and the plan for it.
  static Result<Planned> plan(Context& context, const RunOrder& order, bool full) {
    const RunPrints& prints = order.prints;
    const bool needed = prints.show || prints.hardware || !prints.emit.empty() ||
                        launch::needs_machine(order.request);
    auto machine = full     ? context.full_machine()
                   : needed ? machine::read_quick_machine(context.os)
                            : Result<machine::Machine>(machine::Machine{});
    if (!machine) return machine.as_unexpected();
    launch::RunRequest request = order.request;
    request.all_ranks = launch::emits_all_ranks(prints.emit);
    auto plan = launch::make_run_plan(context.os, *machine, request);
    if (!plan) return plan.as_unexpected();
    return Planned{*std::move(machine), *std::move(plan)};
  }

  /// Makes the plan hold for this process, short of starting the program.
  static Result<void> apply(Context& context, const RunOrder& order, const Planned& planned) {
    const launch::RunPlan& plan = planned.plan;
    if (plan.absence < 0) return {};
    warn_of_strict(context, order.request);
    const auto notes = launch::apply_to_process(context.os, planned.machine, plan.process);
    if (!notes) return notes.as_unexpected();
    print(context, *notes);
    if (!order.request.threads.needs_agent()) return {};
    const auto prepared = launch::prepare_agent(context.os, plan, companion(context, "homenode"));
    if (!prepared) return prepared.as_unexpected();
    print(context, *prepared);
    return {};
  }

  static int start(Context& context, const launch::RunPlan& plan) {
    context.out.flush();
    const int result =
        plan.absence < 0 ? plan.absence : launch::start_program(context.os, plan.program);
    report(context, "run", launch::not_started(plan.program.front(), result));
    return result == -ENOENT ? exit_not_found : exit_cannot_execute;
  }

  /// What is done instead of starting a program.
  static Result<void> print_instead(Context& context, const RunOrder& order, Planned& planned) {
    const RunPrints& prints = order.prints;
    if (order.request.segment) {
      return treat_segment(context, *order.request.segment, planned.plan.process, prints.json);
    }
    if (prints.version) context.out << "homenode " HOMENODE_VERSION "\n";
    if (prints.explain) return explain(context, order, planned.plan);
    if (!prints.emit.empty()) return print_emitted(context, prints.emit, planned);
    if (prints.hardware) return print_hardware(context, planned.machine, prints);
    return prints.show && !prints.version ? show(context, order, planned) : Result<void>{};
  }

  static Result<void> treat_segment(Context& context, const actuation::SegmentRequest& segment,
                                    const placement::Placement& placement, bool json) {
    const auto receipt = actuation::treat_segment(context.os, segment, placement.process_memory);
    if (!receipt) return receipt.as_unexpected();
    print(context, receipt->made);
    context.out << (json ? segment_json(segment, receipt->dumps) : segment_text(receipt->dumps));
    return {};
  }

  static Result<void> explain(Context& context, const RunOrder& order, launch::RunPlan& plan) {
    const bool has_policy = plan.process.process_memory || plan.threads.heap ||
                            !plan.threads.memory_by_rank.empty() ||
                            !plan.threads.allocations.empty();
    if (has_policy) plan.refusal = launch::find_policy_refusal(context.os);
    context.out << (order.prints.json ? explain_json(plan) : explain_text(plan));
    if (order.charm_behind) {
      context.err << "homenode run: Charm++'s options after the program are for its own runtime; "
                     "write them before the program to have them obeyed here\n";
    }
    return {};
  }

  static Result<void> print_emitted(Context& context, const std::string& tool,
                                    const Planned& planned) {
    const auto emitted = launch::emit(tool, planned.plan, planned.machine);
    if (!emitted) return emitted.as_unexpected();
    context.out << emitted->command << '\n';
    for (const std::string& what : emitted->missing) {
      print(context,
            {fmt::format("{} cannot express {}; keep 'homenode run' for that", tool, what)});
    }
    return {};
  }

  static Result<void> print_hardware(Context& context, const machine::Machine& machine,
                                     const RunPrints& prints) {
    const auto nodes = machine::read_hardware(context.os, machine);
    if (!nodes) return nodes.as_unexpected();
    context.out << (prints.json ? hardware_json(*nodes)
                                : hardware_text(*nodes, prints.cpu_compress));
    return {};
  }

  /// Sets the policy and prints what then holds.
  static Result<void> show(Context& context, const RunOrder& order, const Planned& planned) {
    warn_of_strict(context, order.request);
    const auto notes = launch::apply_to_process(context.os, planned.machine, planned.plan.process);
    if (!notes) return notes.as_unexpected();
    print(context, *notes);
    const auto state = actuation::read_policy_state(context.os, planned.machine);
    if (!state) return state.as_unexpected();
    context.out << (order.prints.json ? show_json(*state) : show_text(*state));
    return {};
  }

  /// numactl ignores --strict for programs too, and reports it.
  static void warn_of_strict(Context& context, const launch::RunRequest& request) {
    const bool strict = std::any_of(request.settings.begin(), request.settings.end(),
                                    [](const launch::RunSetting& setting) {
                                      return setting.kind == launch::RunSetting::Kind::strict;
                                    });
    if (strict) print(context, {"--strict is for shared memory (--shm, --file): ignored"});
  }

  RunOptions options_;
  std::vector<std::string> program_;
};

}  // namespace

std::unique_ptr<Verb> make_run() {
  return std::make_unique<Run>();
}

}  // namespace homenode::cli
