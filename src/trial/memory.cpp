#include "trial/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/sample.h"
#include "machine/kernel_files.h"

namespace homenode::trial {

MemoryFacts memory_facts(os::Os& os) {
  MemoryFacts facts;
  facts.page_bytes = os.page_bytes();
  std::string text;
  if (os.read_file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", text) == 0) {
    std::size_t bytes = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), bytes).ec == std::errc{} &&
        bytes >= facts.page_bytes) {
      facts.huge_page_bytes = bytes;
    }
  }
  facts.available = machine::available_memory(os);
  return facts;
}

Bytes free_memory(const machine::Machine& machine, const MemoryFacts& facts) {
  Bytes memory;
  for (const machine::Node& node : machine.nodes) {
    if (machine.allowed_nodes.contains(node.id)) memory.value += node.memory.value;
  }
  return facts.available ? std::min(memory, *facts.available) : memory;
}

std::string to_string(PageKind pages) {
  return name_of(page_kinds, pages);
}

void name_region(os::Os& os, actuation::Region region, const std::string& name) {
  (void)os.name_memory(region.address, region.bytes, region_prefix + name);
}

Result<void> choose_pages(os::Os& os, actuation::Region region, PageKind pages,
                          const char* system) {
  if (pages == PageKind::system) return {};
  const bool huge = pages == PageKind::huge;
  const int result =
      os.advise_memory(region.address, region.bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  // EINVAL: a kernel without transparent huge pages, whose pages are small anyway.
  if (result == 0 || (result == -EINVAL && !huge)) return {};
  return not_supported(fmt::format("cannot have {} pages", to_string(pages)),
                       fmt::format("give {}, or use a kernel with transparent huge pages", system),
                       -result);
}

}  // namespace homenode::trial
