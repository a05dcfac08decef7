// homenode run: starts a program under a placement, with numactl's own command line.
#include "cli/cmd_run.h"

#include <fmt/format.h>

#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>

#include "actuation/process.h"
#include "base/id_list.h"
#include "cli/run_machine.h"
#include "cli/run_placement.h"
#include "cli/run_show.h"

namespace homenode::cli {
namespace {

using Kind = RunSetting::Kind;

struct RunOption {
  Kind kind;
  const char* names;
  const char* type;  ///< Empty for options without a value.
  const char* help;
};
constexpr RunOption run_options[] = {
    {Kind::all, "-a,--all", "", "lift the limits of the cpuset for the lists that follow"},
    {Kind::interleave, "-i,--interleave", "NODES", "memory page by page over these nodes"},
    {Kind::membind, "-m,--membind", "NODES", "memory from these nodes only"},
    {Kind::preferred, "-p,--preferred", "NODE", "memory from this node, or others when it is full"},
    {Kind::preferred_many, "-P,--preferred-many", "NODES",
     "memory from these nodes, or others when they are full (Linux 5.15)"},
    {Kind::localalloc, "-l,--localalloc", "", "memory from the node that allocates it"},
    {Kind::balancing, "-b,--balancing", "",
     "with --membind: let the kernel move pages within the nodes (Linux 5.12)"},
    {Kind::cpunodebind, "-N,-c,--cpunodebind,--cpubind", "NODES", "run on the CPUs of these nodes"},
    {Kind::physcpubind, "-C,--physcpubind", "CPUS", "run on these CPUs"},
};

constexpr const char* footer =
    "Sets CPUs and a memory policy as numactl does, then starts the program, which keeps them. "
    "NODES and CPUS are lists such as 0-3,8; all; !2 (all but 2); +0-1 (counted within the "
    "cpuset); "
    "and for nodes same (the list before). Options end at the first word that is none, or after "
    "--; "
    "the program is started without a shell and its exit code is the command's. It is 127 when the "
    "program is not found and 126 when it cannot be executed.";

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string explain_text(const placement::Placement& placement,
                         const std::vector<std::string>& program) {
  std::string text = "memory policy: ";
  if (const auto& memory = placement.process_memory) {
    text += to_string(memory->kind) + (memory->numa_balancing ? ", balanced" : "");
    if (!memory->nodes.empty()) text += ", nodes " + to_list(memory->nodes);
  } else {
    text += "unchanged";
  }
  text += "\nCPUs: " +
          (placement.process_cpus ? to_list(*placement.process_cpus) : std::string("unchanged"));
  return text + "\nprogram: " + (program.empty() ? "none" : quoted(program)) + "\n";
}

template <class IdType>
nlohmann::ordered_json numbers(const IdSet<IdType>& set) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (IdType id : set.to_vector()) list.push_back(id.value());
  return list;
}

std::string explain_json(const placement::Placement& placement,
                         const std::vector<std::string>& program) {
  nlohmann::ordered_json json{{"schema", "homenode.run.explain/1"},
                              {"memory", nullptr},
                              {"cpus", nullptr},
                              {"program", program}};
  if (const auto& memory = placement.process_memory) {
    json["memory"] = {{"policy", to_string(memory->kind)},
                      {"nodes", numbers(memory->nodes)},
                      {"balancing", memory->numa_balancing}};
  }
  if (placement.process_cpus) json["cpus"] = numbers(*placement.process_cpus);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

class Run final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "run"; }
  [[nodiscard]] std::string summary() const override {
    return "start a program under a placement, with numactl's options";
  }
  [[nodiscard]] bool runs_program() const override { return true; }
  void take_program(std::vector<std::string> words) override { program_ = std::move(words); }

  void define(CLI::App& app) override {
    app_ = &app;
    for (const RunOption& option : run_options) {
      if (*option.type == '\0') {
        kinds_[app.add_flag(option.names, option.help)] = option.kind;
      } else {
        kinds_[app.add_option(option.names, option.help)
                   ->type_name(option.type)
                   ->expected(1)
                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)] = option.kind;
      }
    }
    app.add_flag("-s,--show", show_, "print the placement that then holds, and start nothing");
    app.add_flag("--explain", explain_, "print what would be set, and set and start nothing");
    app.add_flag("--json", json_, "--show and --explain as JSON");
    // For the help alone: the program never gets to the parser.
    app.add_option("program", "the program and its arguments, which are left as they are")
        ->type_name("[ARGUMENTS...]");
    app.footer(footer);
  }

  [[nodiscard]] std::vector<Example> examples() const override {
    return {{"homenode run --cpunodebind=0 --localalloc -- sort /etc/passwd",
             "A program on the CPUs of node 0, with its memory there too"},
            {"homenode run --interleave=all --explain --json", "What a placement would set"},
            {"homenode run --machine quad-4x2 --membind=3 --show",
             "The placement that holds on node 3 of a virtual machine"}};
  }

  int run(Context& context) override {
    const auto done = prepare(context);
    if (!done) return report(context, name(), done.error());
    if (explain_ || show_) return exit_done;
    return start(context);
  }

 private:
  /// Everything short of starting the program.
  Result<void> prepare(Context& context) {
    if (program_.empty() && !show_ && !explain_) {
      return bad_usage("no program is named", "write 'homenode run OPTIONS PROGRAM ARGUMENTS'");
    }
    if (json_ && !show_ && !explain_) {
      return bad_usage("--json goes with --show or --explain only",
                       "put '--' before the program if the option is meant for it");
    }
    const auto settings = settings_in_order();
    if (!settings) return settings.as_unexpected();
    auto machine = machine_for(context.os, *settings);
    if (!machine) return machine.as_unexpected();
    const auto placement = resolve(*machine, *settings);
    if (!placement) return placement.as_unexpected();
    if (explain_) {
      context.out << (json_ ? explain_json(*placement, program_)
                            : explain_text(*placement, program_));
      return {};
    }
    if (const auto applied = apply(context, *placement); !applied) return applied;
    return show_ ? show(context, *machine) : Result<void>{};
  }

  /// The options as given: CLI11 has their order and, apart from it, each one's values.
  Result<std::vector<RunSetting>> settings_in_order() const {
    std::vector<RunSetting> settings;
    std::map<const CLI::Option*, std::size_t> taken;
    for (const CLI::Option* option : app_->parse_order()) {
      const auto kind = kinds_.find(option);
      if (kind == kinds_.end()) continue;
      RunSetting setting{kind->second, ""};
      if (takes_list(setting.kind)) {
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
  [[nodiscard]] Result<machine::Machine> machine_for(
      os::Os& os, const std::vector<RunSetting>& settings) const {
    bool needed = show_;
    for (const RunSetting& setting : settings) needed = needed || takes_list(setting.kind);
    return needed ? read_quick_machine(os) : machine::Machine{};
  }

  Result<void> apply(Context& context, const placement::Placement& placement) {
    if (placement.process_cpus) {
      const auto bound = actuation::bind_thread(context.os, 0, *placement.process_cpus);
      if (!bound) return bound;
    }
    if (!placement.process_memory) return {};
    placement::Policy policy = *placement.process_memory;
    const auto set = actuation::set_process_policy(context.os, policy);
    if (set || !policy.numa_balancing || set.error().errno_value != EINVAL) return set;
    // As numactl: balancing is a wish, the bind is not.
    policy.numa_balancing = false;
    const auto plain = actuation::set_process_policy(context.os, policy);
    if (plain) {
      context.err << "homenode run: this kernel does not balance within a bind (Linux 5.12 does); "
                     "bound without it\n";
    }
    return plain;
  }

  Result<void> show(Context& context, const machine::Machine& machine) const {
    const auto state = read_policy_state(context.os, machine);
    if (!state) return state.as_unexpected();
    context.out << (json_ ? show_json(*state) : show_text(*state));
    return {};
  }

  int start(Context& context) {
    context.out.flush();
    const int result = context.os.execute(program_);
    const bool not_found = result == -ENOENT;
    const Error error =
        failed(fmt::format("cannot start '{}'", program_.front()),
               not_found
                   ? "check the name and PATH; for a script, the interpreter in its first line"
                   : "check that it is an executable file for this machine",
               -result)
            .take();
    report(context, name(), error);
    return not_found ? exit_not_found : exit_cannot_execute;
  }

  CLI::App* app_ = nullptr;
  std::map<const CLI::Option*, Kind> kinds_;
  std::vector<std::string> program_;
  bool show_ = false;
  bool explain_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_run() {
  return std::make_unique<Run>();
}

}  // namespace homenode::cli
