#include "cli/bench/message.h"

#include <CLI/CLI.hpp>

#include "cli/bench/program.h"
#include "cli/options.h"
#include "machine/load.h"

namespace homenode::cli {
namespace {

constexpr Choices<trial::MessageRule, 5> rules{{{"sender", trial::MessageRule::sender},
                                                {"receiver", trial::MessageRule::receiver},
                                                {"first-touch", trial::MessageRule::first_touch},
                                                {"strategy", trial::MessageRule::strategy},
                                                {"malloc", trial::MessageRule::from_malloc}}};

}  // namespace

void define_message_options(CLI::App& app, MessageOptions& options) {
  add_choice(app, "--messages", options.rule, rules);
  app.add_option("--bind", options.bind)->type_name("CPUS");
  define_program_options(app, options.program);
}

Result<void> bench_messages(Context& context, const MessageProgramMaker& make, ProgramTitle title,
                            const MessageOptions& options) {
  const auto machine = machine::read_live_machine();
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

}  // namespace homenode::cli
