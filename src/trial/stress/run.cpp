#include "trial/stress/run.h"

#include <fmt/format.h>

#include <charconv>

#include "actuation/aligned_memory.h"
#include "sensing/process_names.h"
#include "trial/memory.h"
#include "trial/stress/perturber.h"
#include "trial/stress/team.h"

namespace homenode::trial {
namespace {

namespace stress = workloads::stress;

std::optional<std::uint64_t> vmstat_value(std::string_view text, std::string_view key) {
  const std::string line = fmt::format("\n{} ", key);
  const std::string with_start = fmt::format("\n{}", text);
  const std::size_t at = with_start.find(line);
  if (at == std::string::npos) return std::nullopt;
  std::uint64_t value = 0;
  const char* const digits = with_start.data() + at + line.size();
  const auto status = std::from_chars(digits, with_start.data() + with_start.size(), value).ec;
  return status == std::errc{} ? std::optional(value) : std::nullopt;
}

Surroundings look_around(os::Os& os) {
  Surroundings found;
  std::string text;
  if (os.read_file("/proc/sys/kernel/numa_balancing", text) == 0) {
    int value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{}) {
      found.kernel_balancing = value;
    }
  }
  const auto named = sensing::find_processes({os}, "numad");
  found.numad = named && !named->empty();
  return found;
}

/// The machine's distances; 10 at home and 20 elsewhere where it declares none.
double distance_between(const machine::Machine& machine, NodeId from, NodeId to) {
  if (machine.distances && machine.distances->values.has(from, to)) {
    return machine.distances->values.at(from, to);
  }
  return from == to ? 10.0 : 20.0;
}

void judge_moves(const machine::Machine& machine, StressReport& report) {
  stress::Uses uses;
  uses.users_of_block = stress::users_of_blocks(report.plan.blocks_of_thread);
  const std::size_t pages_of_block = report.plan.block_bytes / report.plan.page_bytes;
  for (std::size_t page : report.sampled_pages) {
    uses.block_of_page.push_back(page / pages_of_block);
  }
  uses.distance = [&machine](NodeId from, NodeId to) {
    return distance_between(machine, from, to);
  };
  report.moves = stress::count_moves(report.samples, uses);
  for (const stress::Sample& sample : report.samples) {
    report.local_shares.push_back(stress::local_share(sample, uses));
  }
}

}  // namespace

SystemMoves moves_in(const std::string& vmstat) {
  return {vmstat_value(vmstat, "numa_pages_migrated"), vmstat_value(vmstat, "pgmigrate_success")};
}

Result<StressReport> run_stress(os::Os& os, const machine::Machine& machine,
                                const StressPlan& plan) {
  StressReport report;
  report.plan = plan;
  report.surroundings = look_around(os);
  // First of all, while there is one thread and no memory to share with it.
  auto perturber = Perturber::start(os);
  if (!perturber) return perturber.as_unexpected();
  const auto memory = actuation::AlignedMemory::map(os, plan.bytes(), plan.alignment);
  if (!memory) return memory.as_unexpected();
  if (const auto done = choose_pages(os, memory->region(), plan.options.pages); !done) {
    return done.as_unexpected();
  }
  StressTeam team(os, memory->region(), *perturber, report);
  if (const auto done = team.run(); !done) return done.as_unexpected();
  if (const auto right = team.check_content(); !right) return right.as_unexpected();
  judge_moves(machine, report);
  return report;
}

}  // namespace homenode::trial
