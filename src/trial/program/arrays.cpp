#include "trial/program/arrays.h"

#include <algorithm>
#include <cassert>
#include <ctime>
#include <utility>

#include "trial/memory.h"

namespace homenode::trial {
namespace {

/// Arrays of this size or more are aligned to it, and the kernel is asked for huge pages.
constexpr std::size_t huge_alignment = std::size_t{2} << 20U;

/// How many lines later in its first page each array begins than the one before. Where all begin at
/// a page, CPUs that compare the low 12 bits of addresses have the loads of a stencil wait for its
/// stores to another array: on an Intel Emerald Rapids, MG and `seismic` took 1.2 times as long.
/// Nine lines are no multiple of what lies between lines of grids that are powers of two.
constexpr std::size_t stagger = 9;
constexpr std::size_t bytes_of_line = 64;

/// Where the index-th array begins in its first page: within what its last page leaves, so that
/// none takes a page more.
std::size_t begin_in_page(std::size_t index, std::size_t bytes, std::size_t page) {
  const std::size_t places = (round_up(bytes, page) - bytes) / bytes_of_line + 1;
  return index * stagger % places * bytes_of_line;
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

}  // namespace

double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Result<ProgramArrays> ProgramArrays::map(os::Os& os,
                                         const std::vector<workloads::ArrayNeed>& needs) {
  ProgramArrays arrays;
  for (const workloads::ArrayNeed& need : needs) {
    const std::size_t page = os.page_bytes();
    const bool large = need.bytes >= huge_alignment;
    const std::size_t alignment = large ? huge_alignment : page;
    auto memory = actuation::AlignedMemory::map(os, round_up(need.bytes, alignment), alignment);
    if (!memory) return memory.as_unexpected();
    // What lies between the array's end and the alignment is never touched.
    arrays.regions_.push_back({memory->region().address, round_up(need.bytes, page)});
    // A kernel that has none refuses, and the array is as it was.
    if (large) (void)choose_pages(os, arrays.regions_.back(), PageKind::huge);
    name_region(os, arrays.regions_.back(), need.name);
    arrays.addresses_.push_back(static_cast<char*>(memory->region().address) +
                                begin_in_page(arrays.memory_.size(), need.bytes, page));
    arrays.memory_.push_back(*std::move(memory));
  }
  return arrays;
}

Result<std::optional<actuation::Receipt>> place_named(os::Os& os,
                                                      const placement::Placement& placement,
                                                      const std::string& name,
                                                      actuation::Region region) {
  assert(is_valid(placement));
  std::optional<actuation::Receipt> receipt;
  const auto wanted =
      std::ranges::find(placement.regions, name, &placement::RegionPlacement::region);
  if (wanted == placement.regions.end()) return receipt;
  if (const auto* policy = std::get_if<placement::Policy>(&wanted->memory)) {
    if (auto set = actuation::set_region_policy(os, region, *policy); !set) {
      return set.as_unexpected();
    }
    return receipt;
  }
  auto placed = actuation::place_pages(os, region, std::get<placement::PageMap>(wanted->memory));
  if (!placed) return placed.as_unexpected();
  receipt = *std::move(placed);
  return receipt;
}

Result<void> place_arrays(os::Os& os, const placement::Placement& placement,
                          const ProgramArrays& arrays, ProgramReport& report) {
  for (std::size_t i = 0; i < report.arrays.size(); ++i) {
    PlacedArray& array = report.arrays[i];
    auto receipt = place_named(os, placement, array.need.name, arrays.regions()[i]);
    if (!receipt) return receipt.as_unexpected();
    array.receipt = *std::move(receipt);
  }
  return {};
}

std::vector<ArrayAudit> audit_arrays(os::Os& os, const placement::Placement& placement,
                                     const ProgramArrays& arrays, const ProgramReport& report) {
  std::vector<ArrayAudit> audits;
  for (std::size_t i = 0; i < arrays.regions().size(); ++i) {
    ArrayAudit& entry = audits.emplace_back();
    auto audited = actuation::audit(os, arrays.regions()[i]);
    if (audited) {
      const auto planned = std::ranges::find(placement.regions, report.arrays[i].need.name,
                                             &placement::RegionPlacement::region);
      if (planned != placement.regions.end()) entry.astray = count_astray(*planned, *audited);
      audited->node_of_page.clear();  // The counts are what is shown.
      entry.audit = *std::move(audited);
    } else {
      entry.error = audited.error();
    }
  }
  return audits;
}

}  // namespace homenode::trial
