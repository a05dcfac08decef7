// How much memory this process can have, and of which page size. Serves the workloads that map
// their memory themselves.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "actuation/region.h"
#include "base/choices.h"
#include "base/result.h"
#include "base/units.h"
#include "machine/machine.h"
#include "os/os.h"

namespace homenode::trial {

/// What the kernel says of its memory.
struct MemoryFacts {
  std::size_t page_bytes = 4096;
  std::size_t huge_page_bytes = std::size_t{2} << 20;
  std::optional<Bytes> available;  ///< What can be allocated now; absent when not known.
};

MemoryFacts memory_facts(os::Os& os);

/// The memory of all allowed nodes, or what is available now where that is less. Pure.
Bytes free_memory(const machine::Machine& machine, const MemoryFacts& facts);

/// The next multiple of `unit`, or `value` itself. pre: unit > 0.
constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

enum class PageKind { system, small, huge };
inline constexpr Choices<PageKind, 3> page_kinds{
    {{"system", PageKind::system}, {"small", PageKind::small}, {"huge", PageKind::huge}}};
std::string to_string(PageKind pages);

/// Has `homenode profile` and `homenode where --objects` call the region so. Kernels that name no
/// memory do nothing; whoever samples the process hears of it all the same.
void name_region(os::Os& os, actuation::Region region, const std::string& name);

/// Asks for small or huge pages. Errors: not_supported when this kernel has no huge pages; its next
/// step says to give `system`, an option of the workload that leaves pages as the system has them.
Result<void> choose_pages(os::Os& os, actuation::Region region, PageKind pages,
                          const char* system = "--pages system");

}  // namespace homenode::trial
