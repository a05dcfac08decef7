// What the benches of message-driven programs share: options, and the way from them to a report.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/bench/program_options.h"
#include "cli/bench/program_render.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "trial/message/run.h"

namespace homenode::cli {

struct MessageOptions {
  ProgramOptions program;
  trial::MessageRule rule = trial::MessageRule::sender;
  std::string bind;  ///< Empty: one PE after the other over the allowed CPUs.
};

/// Adds them to the parser; they are read into `options`, which must outlive it.
void define_message_options(CLI::App& app, MessageOptions& options);

/// A program of this many PEs.
using MessageProgramMaker = std::function<std::unique_ptr<workloads::message::MessageProgram>(
    const workloads::message::Layout& layout)>;

/// Checks, makes the program, runs it in turn with the peers, prints and writes the report; then
/// says if a run was not verified. The rule and --bind are added to what the title says.
/// Errors: those of plan_messages(), check_setup(), run_messages(), run_peer(), check_verified().
Result<void> bench_messages(Context& context, const MessageProgramMaker& make, ProgramTitle title,
                            const MessageOptions& options);

}  // namespace homenode::cli
