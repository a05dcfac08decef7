// homenode run: starts a program under a placement, with numactl's own command line.
#include "cli/run/run.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "cli/invoke.h"
#include "cli/run/charm.h"
#include "cli/run/hardware.h"
#include "cli/run/options.h"
#include "cli/run/segment_steps.h"
#include "cli/run/show.h"
#include "cli/run/start.h"
#include "launch/allocation_objects.h"
#include "launch/emit.h"
#include "launch/plan.h"
#include "machine/quick_machine.h"

namespace homenode::cli {
namespace {

using Kind = launch::RunSetting::Kind;

bool is_strict(const launch::RunRequest& request) {
  return std::any_of(
      request.settings.begin(), request.settings.end(),
      [](const launch::RunSetting& setting) { return setting.kind == Kind::strict; });
}

/// The options that print something instead of starting a program.
struct Prints {
  bool show = false;
  bool hardware = false;
  bool cpu_compress = false;
  bool version = false;
  bool explain = false;
  bool json = false;
  std::string emit;
};

class Run final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "run"; }
  [[nodiscard]] bool runs_program() const override { return true; }
  void take_program(std::vector<std::string> words) override { program_ = std::move(words); }

  void define(CLI::App& app) override {
    app_ = &app;
    for (const RunOption& option : run_options()) {
      if (*option.type == '\0') {
        kinds_[app.add_flag(option.names, option.help)] = option.kind;
      } else {
        kinds_[app.add_option(option.names, option.help)
                   ->type_name(option.type)
                   ->expected(1)
                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)] = option.kind;
      }
    }
    define_threads(app);
    define_prints(app);
    // For the help alone: the program never gets to the parser.
    app.add_option("program", "the program and its arguments, which are left as they are")
        ->type_name("[ARGUMENTS...]");
    app.footer(run_footer);
  }

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
    const std::vector<std::string> words(context.words.begin() + 1, context.words.end());
    const auto arranged = options_before_charm_words(*app_, words, program_);
    if (!arranged) return report(context, name(), arranged.error());
    if (*arranged) return invoke(context, *make_run(), **arranged);
    auto request = read_request();
    if (!request) return report(context, name(), request.error());
    const bool full = launch::needs_full_machine(*request);
    if (full && context.full_machine == nullptr) return become_native(context, context.words);
    auto machine = machine_for(context, *request, full);
    if (!machine) return report(context, name(), machine.error());
    const auto done = prepare(context, *machine, *request);
    if (!done) return report(context, name(), done.error());
    if (only_prints() || request->segment) return exit_done;
    if (absence_ < 0) return not_started(context, program_.front(), absence_);
    return start_program(context, program_);
  }

 private:
  void define_threads(CLI::App& app) {
    app.add_option("--threads", threads_.threads,
                   "CPUs of each thread in the order of creation, the main one first: a list "
                   "(0,4,8-11), a likwid expression (S0:0-3@S1:0-3, E:N:4:1:2, M:scatter), OpenMP "
                   "places (cores, {0:4}:8:4) or Charm++'s ranges (0-7:2.1+8, L0-7)")
        ->type_name("EXPR");
    app.add_option("--thread-memory", threads_.thread_memory,
                   "memory policy of each thread in the order of creation, such as bind@0/bind@1")
        ->type_name("RULES");
    app.add_option("--skip-threads", threads_.skip_threads,
                   "threads that are left alone and take no entry, by number in the order of "
                   "creation, 0 being the main one: helper threads of a runtime")
        ->type_name("LIST");
    app.add_option("--heap", threads_.heap,
                   "memory policy of what the program allocates, such as interleave, its stacks "
                   "excepted")
        ->type_name("RULE");
    app.add_option("--place", threads_.place,
                   "a rule for large allocations, such as 'size>64M: cyclic' or 'from=alloc_3d: "
                   "block', or for static data, 'name=u*: cyclic'; may be given several times, the "
                   "first that fits holds")
        ->type_name("RULE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--malloc", threads_.malloc_policy,
                   "give the program homenode's malloc, whose blocks are on the node of the core "
                   "that asks (bind), or bind:strict, preferred, interleave, weighted, local")
        ->type_name("POLICY");
    app.add_flag("--verbose", threads_.verbose,
                 "with --place: say at the program's end what was placed and what was refused");
  }

  void define_prints(CLI::App& app) {
    app.add_flag("-s,--show", prints_.show,
                 "print the placement that then holds, and start nothing");
    app.add_flag("-H,--hardware", prints_.hardware,
                 "print the nodes with their CPUs, memory and distances, as numactl does");
    app.add_flag("--cpu-compress", prints_.cpu_compress, "with --hardware: CPUs as ranges");
    app.add_flag("--version", prints_.version, "print the version");
    app.add_flag("--explain", prints_.explain,
                 "print what would be set, for each thread too, and set and start nothing");
    app.add_option("--emit", prints_.emit,
                   "print the same placement for another tool, and on the error stream what that "
                   "tool cannot say; start nothing")
        ->type_name("numactl|omp|slurm|likwid");
    app.add_flag("--json", prints_.json,
                 "--show, --hardware, --explain, --dump and --dump-nodes as JSON");
  }

  [[nodiscard]] bool only_prints() const {
    return prints_.show || prints_.hardware || prints_.version || prints_.explain ||
           !prints_.emit.empty();
  }

  Result<launch::RunRequest> read_request() {
    auto settings = settings_in_order();
    if (!settings) return settings.as_unexpected();
    auto segment = launch::take_segment(*settings);
    if (!segment) return segment.as_unexpected();
    if (*segment) return read_segment_request(*std::move(settings), **std::move(segment));
    auto charm = take_charm_words(program_);
    if (!charm) return charm.as_unexpected();
    if (program_.empty() && !only_prints()) {
      return bad_usage("no program is named", "write 'homenode run OPTIONS PROGRAM ARGUMENTS'");
    }
    if (prints_.json && !prints_.show && !prints_.hardware && !prints_.explain) {
      return bad_usage(
          "--json goes with --show, --hardware, --explain, --dump or --dump-nodes only",
          "put '--' before the program if the option is meant for it");
    }
    auto from_words = launch::from_charm(*charm);
    if (from_words && !from_words->needs_agent() && prints_.explain) {
      const auto behind = find_charm_words(program_);
      if (!behind) return behind.as_unexpected();
      from_words = launch::from_charm(*behind);
      charm_behind_ = from_words && from_words->needs_agent();
    }
    if (!from_words) return from_words.as_unexpected();
    if (from_words->needs_agent() &&
        (!threads_.threads.empty() || !threads_.thread_memory.empty())) {
      return bad_usage("Charm++'s words and --threads or --thread-memory say the same thing",
                       "choose one of them");
    }
    launch::RunRequest request{std::move(*settings), threads_};
    if (!from_words->threads.empty()) request.threads.threads = from_words->threads;
    if (!from_words->thread_memory.empty()) {
      request.threads.thread_memory = from_words->thread_memory;
    }
    request.threads.count_forks = from_words->count_forks;  // Its processing elements may be forks.
    return request;
  }

  /// A command that is about shared memory, not about a program.
  Result<launch::RunRequest> read_segment_request(std::vector<launch::RunSetting> settings,
                                                  launch::SegmentRequest segment) const {
    if (!program_.empty()) {
      return bad_usage(
          fmt::format("there is a program, '{}', beside --shm or --file", program_.front()),
          "set the memory's policy with a command of its own");
    }
    if (only_prints() || threads_.needs_agent()) {
      return bad_usage("an option for programs stands beside --shm or --file",
                       "with shared memory go a memory policy, --all, --json and the options that "
                       "--help lists from --shm on");
    }
    return launch::RunRequest{std::move(settings), {}, std::move(segment)};
  }

  /// The options as given: CLI11 has their order and, apart from it, each one's values.
  Result<std::vector<launch::RunSetting>> settings_in_order() const {
    std::vector<launch::RunSetting> settings;
    std::map<const CLI::Option*, std::size_t> taken;
    for (const CLI::Option* option : app_->parse_order()) {
      const auto kind = kinds_.find(option);
      if (kind == kinds_.end()) continue;
      launch::RunSetting setting{kind->second, ""};
      if (launch::takes_value(setting.kind)) {
        const std::size_t index = taken[option]++;
        if (index >= option->results().size()) {
          return bad_usage("cannot read the value of " + option->get_name(),
                           "write numbers and ranges such as 0-3,8");
        }
        setting.value = option->results()[index];
      }
      settings.push_back(setting);
    }
    return settings;
  }

  /// The live machine, or none at all where nothing asks for it.
  [[nodiscard]] Result<machine::Machine> machine_for(Context& context,
                                                     const launch::RunRequest& request,
                                                     bool full) const {
    if (full) return context.full_machine();
    const bool needed = prints_.show || prints_.hardware || !prints_.emit.empty();
    if (needed || launch::needs_machine(request)) return machine::read_quick_machine(context.os);
    return machine::Machine{};
  }

  /// Everything short of starting the program.
  Result<void> prepare(Context& context, const machine::Machine& machine,
                       const launch::RunRequest& request) {
    auto plan = launch::make_run_plan(context.os, machine, request);
    if (!plan) return plan.as_unexpected();
    if (request.segment) return treat_segment(context, *request.segment, plan->process);
    plan->program = program_;
    const auto absence = launch::find_names(context.os, plan->threads, program_);
    if (!absence) return absence.as_unexpected();
    absence_ = *absence;
    if (prints_.version) context.out << "homenode " HOMENODE_VERSION "\n";
    if (prints_.explain) return explain(context, *plan);
    if (!prints_.emit.empty()) return print_emitted(context, *plan, machine);
    if (prints_.hardware) return print_hardware(context, machine);
    if (prints_.version || (absence_ < 0 && !prints_.show)) return {};
    if (is_strict(request)) {
      // numactl ignores it too, and says so.
      context.err << "homenode run: --strict is for shared memory (--shm, --file): ignored\n";
    }
    if (const auto applied = apply_to_process(context, plan->process); !applied) return applied;
    if (prints_.show) return show(context, machine);
    return request.threads.needs_agent() ? prepare_agent(context, *plan) : Result<void>{};
  }

  Result<void> treat_segment(Context& context, const launch::SegmentRequest& segment,
                             const placement::Placement& placement) const {
    const auto dumps = run_segment(context, segment, placement.process_memory);
    if (!dumps) return dumps.as_unexpected();
    context.out << (prints_.json ? segment_json(segment, *dumps) : segment_text(*dumps));
    return {};
  }

  Result<void> explain(Context& context, launch::RunPlan& plan) const {
    const bool has_policy = plan.process.process_memory || plan.threads.heap ||
                            !plan.threads.memory_by_rank.empty() ||
                            !plan.threads.allocations.empty();
    if (has_policy) plan.refusal = launch::find_policy_refusal(context.os);
    context.out << (prints_.json ? explain_json(plan) : explain_text(plan));
    if (charm_behind_) {
      context.err << "homenode run: Charm++'s words behind the program are for its own runtime; "
                     "written before the program they are obeyed here\n";
    }
    return {};
  }

  Result<void> print_emitted(Context& context, const launch::RunPlan& plan,
                             const machine::Machine& machine) const {
    const auto emitted = emit(prints_.emit, plan, machine);
    if (!emitted) return emitted.as_unexpected();
    context.out << emitted->command << '\n';
    for (const std::string& what : emitted->missing) {
      context.err << "homenode run: " << prints_.emit << " has no words for " << what
                  << "; keep 'homenode run' for that\n";
    }
    return {};
  }

  Result<void> print_hardware(Context& context, const machine::Machine& machine) const {
    const auto nodes = read_hardware(context.os, machine);
    if (!nodes) return nodes.as_unexpected();
    context.out << (prints_.json ? hardware_json(*nodes)
                                 : hardware_text(*nodes, prints_.cpu_compress));
    return {};
  }

  Result<void> show(Context& context, const machine::Machine& machine) const {
    const auto state = read_policy_state(context.os, machine);
    if (!state) return state.as_unexpected();
    context.out << (prints_.json ? show_json(*state) : show_text(*state));
    return {};
  }

  CLI::App* app_ = nullptr;
  std::map<const CLI::Option*, Kind> kinds_;
  std::vector<std::string> program_;
  launch::ThreadRequest threads_;
  Prints prints_;
  bool charm_behind_ = false;
  int absence_ = 0;  ///< -errno where there is no program to look names up in.
};

}  // namespace

std::unique_ptr<Verb> make_run() {
  return std::make_unique<Run>();
}

}  // namespace homenode::cli
