#include "cli/bench_map_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <charconv>
#include <string>

#include "actuation/kernel_words.h"
#include "cli/bench_map_run.h"

namespace homenode::cli {
Result<void> choose_pages(os::Os& os, actuation::Region region, PageKind pages) {
  if (pages == PageKind::system) return {};
  const bool huge = pages == PageKind::huge;
  const int result =
      os.advise_memory(region.address, region.bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  // EINVAL: a kernel without transparent huge pages, whose pages are small anyway.
  if (result == 0 || (result == -EINVAL && !huge)) return {};
  return not_supported(fmt::format("cannot have {} pages", to_string(pages)),
                       "use --pages system, or a kernel with transparent huge pages", -result);
}

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
  facts.available = actuation::available_memory(os);
  return facts;
}

}  // namespace homenode::cli
