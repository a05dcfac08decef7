#include "cli/program_run.h"

#include <fmt/format.h>

#include <ctime>
#include <span>
#include <utility>

#include "actuation/aligned_memory.h"
#include "cli/program_team.h"
#include "placement/strategy_table.h"

namespace homenode::cli {
namespace {

/// Arrays of this size or more are aligned to it, so that the kernel may use huge pages.
constexpr std::size_t huge_alignment = std::size_t{2} << 20U;

std::size_t whole(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The arrays' memory, mapped and not touched.
class Arrays {
 public:
  static Result<Arrays> map(os::Os& os, const std::vector<workloads::ArrayNeed>& needs) {
    Arrays arrays;
    for (const workloads::ArrayNeed& need : needs) {
      const std::size_t page = os.page_bytes();
      const std::size_t alignment = need.bytes < huge_alignment ? page : huge_alignment;
      auto memory = actuation::AlignedMemory::map(os, whole(need.bytes, alignment), alignment);
      if (!memory) return memory.as_unexpected();
      // What lies between the array's end and the alignment is never touched.
      arrays.regions_.push_back({memory->region().address, whole(need.bytes, page)});
      arrays.addresses_.push_back(memory->region().address);
      arrays.memory_.push_back(*std::move(memory));
    }
    return arrays;
  }

  [[nodiscard]] const std::vector<actuation::Region>& regions() const { return regions_; }
  [[nodiscard]] std::span<void* const> addresses() const { return addresses_; }

 private:
  std::vector<actuation::AlignedMemory> memory_;
  std::vector<actuation::Region> regions_;
  std::vector<void*> addresses_;
};

Result<void> place_arrays(os::Os& os, const placement::Placement& placement, const Arrays& arrays,
                          ProgramReport& report) {
  for (std::size_t i = 0; i < placement.regions.size(); ++i) {
    const auto& memory = placement.regions[i].memory;
    const actuation::Region region = arrays.regions()[i];
    if (const auto* policy = std::get_if<placement::Policy>(&memory)) {
      if (auto set = actuation::set_region_policy(os, region, *policy); !set) return set;
    } else {
      auto receipt = actuation::place_pages(os, region, std::get<placement::PageMap>(memory));
      if (!receipt) return receipt.as_unexpected();
      report.arrays[i].receipt = *std::move(receipt);
    }
  }
  return {};
}

/// How many of the pages that are present are elsewhere than planned.
std::size_t count_astray(const placement::RegionPlacement& planned, const actuation::Audit& audit) {
  const auto* const map = std::get_if<placement::PageMap>(&planned.memory);
  const auto* const policy = std::get_if<placement::Policy>(&planned.memory);
  if (policy != nullptr && !placement::takes_nodes(policy->kind)) return 0;
  std::size_t astray = 0;
  for (std::size_t page = 0; page < audit.node_of_page.size(); ++page) {
    const auto node = audit.node_of_page[page];
    if (!node) continue;
    const bool right = map != nullptr ? (*map)[page] == *node : policy->nodes.contains(*node);
    if (!right) ++astray;
  }
  return astray;
}

std::vector<ArrayAudit> audit_arrays(os::Os& os, const placement::Placement& placement,
                                     const Arrays& arrays) {
  std::vector<ArrayAudit> audits;
  for (std::size_t i = 0; i < arrays.regions().size(); ++i) {
    ArrayAudit& entry = audits.emplace_back();
    auto audited = actuation::audit(os, arrays.regions()[i]);
    if (audited) {
      if (!placement.regions.empty()) entry.astray = count_astray(placement.regions[i], *audited);
      audited->node_of_page.clear();  // The counts are what is shown.
      entry.audit = *std::move(audited);
    } else {
      entry.error = audited.error();
    }
  }
  return audits;
}

}  // namespace

Result<ProgramReport> run_program(os::Os& os, const machine::Machine& machine,
                                  workloads::Program& program, const ProgramSetup& setup,
                                  const std::function<void(unsigned)>& after_run) {
  ProgramReport report;
  report.setup = setup;
  for (workloads::ArrayNeed& need : program.arrays()) {
    report.arrays.push_back({std::move(need), {}});
  }
  placement::Placement placement;
  if (setup.strategy != "none") {
    auto placed = placement::place_by_strategy(setup.strategy, machine,
                                               view_of(program, setup.threads, os.page_bytes()));
    if (!placed) return placed.as_unexpected();
    placement = *std::move(placed);
  }
  if (const auto can = check_threads(setup.threads); !can) return can.as_unexpected();
  TeamPlace team(os, setup.threads);
  if (const auto taken = team.take(placement); !taken) return taken.as_unexpected();
  const auto arrays = Arrays::map(os, program.arrays());
  if (!arrays) return arrays.as_unexpected();
  if (const auto placed = place_arrays(os, placement, *arrays, report); !placed) {
    return placed.as_unexpected();
  }
  for (unsigned number = 0; number < setup.runs; ++number) {
    ProgramRun& run = report.runs.emplace_back();
    const double start = cpu_seconds();
    run.outcome = program.run(arrays->addresses(), setup.threads);
    run.cpu_seconds = cpu_seconds() - start;
    run.arrays = audit_arrays(os, placement, *arrays);
    if (!run.outcome.verified()) break;
    if (after_run) after_run(number);
  }
  report.threads = team.look();
  return report;
}

Result<void> check_verified(const ProgramReport& report, const std::string& name) {
  const workloads::ProgramOutcome& last = report.runs.back().outcome;
  for (const workloads::Check& check : last.checks) {
    if (check.passed()) continue;
    return failed(fmt::format("{} computed a wrong result in run {}: {} is {:.15g} instead of "
                              "{:.15g} (within {:g})",
                              name, report.runs.size(), check.name, check.value, check.expected,
                              check.tolerance),
                  "suspect memory, overclocking or a fault of placement, and run it once with "
                  "--strategy none");
  }
  if (last.checks.empty()) {
    return failed(name + " was not checked", "choose a problem with known results");
  }
  return {};
}

}  // namespace homenode::cli
