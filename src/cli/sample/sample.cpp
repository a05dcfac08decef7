#include "cli/sample/sample.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "cli/invoke.h"
#include "cli/table.h"
#include "launch/sampling.h"
#include "machine/json.h"
#include "os/pace.h"
#include "sensing/sources/sampling.h"
#include "sensing/sources/table.h"

namespace homenode::cli {
namespace {

using nlohmann::ordered_json;
using sensing::SourceFacts;

/// A variable of this process's environment; empty where it is unset.
std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

std::string source_help() {
  std::string text = "Sources, best first:";
  for (const sensing::SourceEntry& entry : sensing::source_table()) {
    const SourceFacts facts = entry.make()->facts();
    text += fmt::format("\n\n{}: sees {}. It cannot see {}. Cost: {}. Needs: {}.", facts.name,
                        facts.sees, facts.cannot_see, facts.cost, facts.needs);
  }
  return text;
}

class Sample final : public Verb {
 public:
  [[nodiscard]] std::string name() const override { return "sample"; }

  void define(CLI::App& app) override {
    define_sample_options(app, options_);
    app.footer(
        "Starts a program, or takes a live process by its PID, and writes to a file which thread "
        "uses which memory, as far as a source of samples can see it; 'homenode profile' reads "
        "the file, also while it grows and after a crash. A program runs as it would without: its "
        "exit code is passed on, and Ctrl-C ends it as usual. On a process that ran before, Ctrl-C "
        "ends the sampling only.\n\n" +
        source_help());
  }

  [[nodiscard]] std::vector<Example> examples() const override {
    return {{"homenode sample --overhead 2% --output sort.samples -- sort /etc/services",
             "Record a program from its start to its end"},
            {"sh -c 'homenode sample --with sched --duration 1 --output shell.samples $$'",
             "Record a live process (here the shell itself) for a second"},
            {"homenode sample --list", "Which sources work here, and why others do not"}};
  }

  [[nodiscard]] bool runs_program() const override { return true; }
  [[nodiscard]] bool is_program(const std::vector<std::string>& rest) const override {
    return !rest.empty() && !sampled_process(rest);
  }
  void take_program(std::vector<std::string> program) override { line_ = std::move(program); }

  int run(Context& context) override {
    const auto code = try_run(context);
    return code ? *code : report(context, name(), code.error());
  }

 private:
  Result<int> try_run(Context& context) {
    auto command = make_sample_command(options_, line_);
    if (!command) return command.as_unexpected();
    const std::string executable = own_executable(context);
    if (auto folder = launch::agent_folder(context.os, executable, variable("HOMENODE_LIBEXEC"))) {
      command->request.agent_folder = std::move(*folder);
    }
    if (options_.list) return list(context, command->request);
    if (auto there = check_process(context, command->request.pid); !there) {
      return there.as_unexpected();
    }
    auto chosen = sensing::choose_source(context.os, command->request, options_.source);
    if (!chosen) return chosen.as_unexpected();
    command->request.named = options_.source != "auto";
    for (const auto& [source, why] : chosen->refused) {
      if (source == "lab") continue;  // Who is not in the lab knows.
      context.err << fmt::format("homenode sample: not with {}: {}\n", source, why);
    }
    if (auto added = record_allocations(context, command->request, executable); !added) {
      return added.as_unexpected();
    }
    return sample(context, std::move(*command), std::move(*chosen));
  }

  /// Has a program that is started record what allocates its memory.
  [[nodiscard]] Result<void> record_allocations(Context& context, sensing::SampleRequest& request,
                                                const std::string& executable) const {
    if (request.program.empty() || options_.no_allocations) return {};
    auto added = launch::sampling_environment(context.os, request.program.front(), request.output,
                                              executable, variable);
    if (!added) return added.as_unexpected();
    for (const std::string& note : added->notes) {
      context.err << fmt::format("homenode sample: {}\n", note);
    }
    request.environment = std::move(added->variables);
    return {};
  }

  static Result<void> check_process(Context& context, pid_t pid) {
    os::FileStatus status;
    const std::string folder = fmt::format("/proc/{}", pid);
    if (pid == 0 || context.os.file_status(folder, status) == 0) return {};
    return failed(fmt::format("there is no process {}", pid), "'ps -e' lists the processes");
  }

  Result<int> sample(Context& context, SampleCommand command, sensing::ChosenSource chosen) const {
    const auto machine = context.full_machine();
    if (!machine) return machine.as_unexpected();
    std::string hostname;
    if (context.os.read_file("/proc/sys/kernel/hostname", hostname) < 0) hostname.clear();
    hostname = hostname.substr(0, hostname.find('\n'));
    const bool attached = command.request.pid != 0;
    const sensing::RecordingOptions options{std::move(command.request), std::move(chosen.refused),
                                            machine::to_json(*machine), hostname, command.longest};
    if (attached) os::raise_file_limit();  // A program that is started would inherit it.
    using Interrupt = os::StopSignals::Interrupt;
    const os::StopSignals signals(attached ? Interrupt::stops : Interrupt::is_for_others);
    const os::Pace pace = pace_of(context);
    const auto end = sensing::record(context.os, *machine, *chosen.source, options, pace);
    if (!end) return end.as_unexpected();
    if (end->not_started) {
      report(context, name(), *end->not_started);
      return end->not_started->errno_value == ENOENT ? exit_not_found : exit_cannot_execute;
    }
    return say(context, options, chosen.source->facts(), *end);
  }

  /// Says on the error stream what there is: the output stream is the program's.
  [[nodiscard]] int say(Context& context, const sensing::RecordingOptions& options,
                        const SourceFacts& facts, const sensing::RecordingEnd& end) const {
    constexpr double percent = 100;
    if (end.trouble) report(context, name(), *end.trouble);
    context.err << fmt::format(
        "homenode sample: {} samples of {} in {}{}; it cost {:.1f} % of the program's processor "
        "time\n",
        end.samples, facts.name, options.request.output,
        end.budget.lost() > 0 ? fmt::format(", {} were lost", end.budget.lost()) : "",
        percent * end.budget.share());
    if (end.samples == 0 && end.budget.refused_s() > 0) {
      context.err << fmt::format(
          "homenode sample: --overhead has not allowed a single round, which may take {:.1f} s of "
          "processor time; it does over a longer time, or where it is larger\n",
          end.budget.refused_s());
    }
    const int code = end.exit_code.value_or(exit_done);
    return code == exit_done && end.trouble ? own_failure(context, exit_failed) : code;
  }

  [[nodiscard]] int list(Context& context, const sensing::SampleRequest& asked) const {
    ordered_json sources = ordered_json::array();
    for (const sensing::SourceEntry& entry : sensing::source_table()) {
      const auto source = entry.make();
      sensing::SampleRequest request = asked;
      request.named = true;
      const auto works = source->check(context.os, request);
      const SourceFacts& facts = source->facts();
      const std::string refusal = works ? "" : works.error().message();
      if (!options_.json) {
        context.out << fmt::format(
            "{}: {}\n  sees: {}\n  cannot see: {}\n  costs: {}\n  needs: {}\n", facts.name,
            works ? "works here" : refusal, facts.sees, facts.cannot_see, facts.cost, facts.needs);
      }
      sources.push_back({{"name", facts.name},
                         {"automatic", entry.automatic},
                         {"works", works.has_value()},
                         {"refusal", works ? ordered_json(nullptr) : ordered_json(refusal)},
                         {"sees", facts.sees},
                         {"cannot_see", facts.cannot_see},
                         {"cost", facts.cost},
                         {"needs", facts.needs}});
    }
    if (options_.json) {
      const ordered_json all{{"schema", "homenode.sources/1"}, {"sources", sources}};
      context.out << all.dump() << '\n';
    }
    return exit_done;
  }

  SampleOptions options_;
  std::vector<std::string> line_;
};

}  // namespace

std::unique_ptr<Verb> make_sample() {
  return std::make_unique<Sample>();
}

}  // namespace homenode::cli
