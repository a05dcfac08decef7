#include "cli/run/start.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>

#include "actuation/process.h"
#include "cli/invoke.h"
#include "cli/run/run.h"
#include "launch/target.h"

namespace homenode::cli {
namespace {

std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

}  // namespace

Result<void> apply_to_process(Context& context, const placement::Placement& placement) {
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

Result<void> prepare_agent(Context& context, const launch::RunPlan& plan) {
  const auto doubts = launch::check_agent_can_enter(context.os, plan.program.front());
  if (!doubts) return doubts.as_unexpected();
  const auto folder = launch::agent_folder(context.os, companion(context, "homenode"),
                                           variable("HOMENODE_LIBEXEC"));
  if (!folder) return folder.as_unexpected();
  for (const std::string& doubt : *doubts) context.err << "homenode run: " << doubt << '\n';
  for (const std::string& conflict : launch::agent_conflicts(plan.threads, variable)) {
    context.err << "homenode run: " << conflict << '\n';
  }
  for (const auto& [name, value] : launch::agent_environment(plan.threads, *folder, variable)) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  return {};
}

int start_program(Context& context, const std::vector<std::string>& program) {
  context.out.flush();
  return not_started(context, program.front(), context.os.execute(program));
}

int not_started(Context& context, const std::string& program, int result) {
  const bool not_found = result == -ENOENT;
  const Error error =
      failed(fmt::format("cannot start '{}'", program),
             not_found ? "check the name and PATH; for a script, the interpreter in its first line"
                       : "check that it is an executable file for this machine",
             -result)
          .take();
  report(context, "run", error);
  return not_found ? exit_not_found : exit_cannot_execute;
}

}  // namespace homenode::cli
