// Running a message-driven program: each PE bound to its CPU, its messages in memory of the PE that
// sends or of the one that receives them, every run checked and its pages audited.
#pragma once

#include <functional>
#include <vector>

#include "trial/program/run.h"
#include "workloads/message/program.h"

namespace homenode::trial {

/// Where messages lie.
enum class MessageRule {
  sender,       ///< On the memory nearest to the PE that sends them,
  receiver,     ///< or to the one that gets them.
  first_touch,  ///< Where their sender touches them first under the policy in force.
  strategy,     ///< As the strategy places an array that all PEs share.
  from_malloc,  ///< Wherever malloc has them.
};

struct MessageSetup {
  ProgramSetup program;  ///< A thread is a PE.
  MessageRule rule = MessageRule::sender;
  std::vector<CpuSet> cpus;   ///< By PE; empty where PEs are left where they are.
  std::vector<NodeId> homes;  ///< By PE: the memory nearest to its CPUs; empty as `cpus` is.
};

/// The word of `bind` that leaves PEs to the system, or to who started the program.
inline constexpr const char* bind_none = "none";

/// Where each PE runs: as the strategy says, as `bind` does (bind_none or parse_thread_expression),
/// or one after the other over the allowed CPUs, node by node. Errors: bad_usage for `bind` beside
/// a strategy, for what it cannot read, for bind_none with a rule of the sender or the receiver,
/// and for MessageRule::strategy without one; not_supported when no CPU or no memory is allowed.
Result<MessageSetup> plan_messages(const machine::Machine& machine, const ProgramSetup& program,
                                   MessageRule rule, const std::string& bind);

/// Allocates, places, binds, and runs as often as asked, auditing after each run, until one is not
/// verified. The caller is PE 0; its CPUs and its policy are as before afterwards. With a rule of
/// the sender or the receiver, a figure of each run is the number of message pages that are there.
/// pre: check_setup() passes. Errors: as run_program().
Result<ProgramReport> run_messages(os::Os& os, const machine::Machine& machine,
                                   workloads::message::MessageProgram& program,
                                   const MessageSetup& setup,
                                   const std::function<void(unsigned)>& after_run = {});

}  // namespace homenode::trial
