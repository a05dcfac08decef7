#include "cli/bench_map_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <charconv>
#include <sstream>
#include <utility>

#include "cli/bench_map_run.h"

namespace homenode::cli {
namespace {

/// The number of kB after `key` in a line such as "MemAvailable:   1234 kB".
std::optional<Bytes> kilobytes(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  line.remove_prefix(key.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::uint64_t number = 0;
  if (std::from_chars(line.data(), line.data() + line.size(), number).ec != std::errc{}) {
    return std::nullopt;
  }
  return Bytes{number << 10U};
}

/// The addresses of a line "first-end rwxp …", which begins a mapping in smaps.
std::optional<std::pair<std::uintptr_t, std::uintptr_t>> mapping_of(std::string_view line) {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
  const char* const stop = line.data() + line.size();
  const auto [dash, status] = std::from_chars(line.data(), stop, first, 16);
  if (status != std::errc{} || dash == stop || *dash != '-') return std::nullopt;
  if (std::from_chars(dash + 1, stop, end, 16).ec != std::errc{}) return std::nullopt;
  return std::pair{first, end};
}

}  // namespace

Result<AlignedMemory> AlignedMemory::map(os::Os& os, std::size_t bytes, std::size_t alignment) {
  const std::size_t slack = alignment > os.page_bytes() ? alignment : 0;
  void* address = nullptr;
  if (const int result = os.map_memory(bytes + slack, address); result < 0) {
    return failed(fmt::format("cannot allocate {} MiB", (bytes + slack) >> 20U),
                  "give a smaller --size or raise the memory limit", -result);
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t aligned = (begin + alignment - 1) / alignment * alignment;
  return AlignedMemory(os, {address, bytes + slack},
                       {static_cast<char*>(address) + (aligned - begin), bytes});
}

AlignedMemory::AlignedMemory(AlignedMemory&& other) noexcept
    : os_(other.os_),
      whole_(std::exchange(other.whole_, {})),
      region_(std::exchange(other.region_, {})) {}

AlignedMemory::~AlignedMemory() {
  if (whole_.address != nullptr) os_->unmap_memory(whole_.address, whole_.bytes);
}

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

std::optional<Bytes> huge_bytes(os::Os& os, actuation::Region region) {
  std::string text;
  if (os.read_file("/proc/self/smaps", text) < 0) return std::nullopt;
  const auto first = reinterpret_cast<std::uintptr_t>(region.address);
  Bytes sum;
  bool seen = false;
  bool inside = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const auto mapping = mapping_of(line)) {
      inside = mapping->first < first + region.bytes && first < mapping->second;
      seen = seen || inside;
    } else if (const auto bytes = kilobytes(line, "AnonHugePages:"); inside && bytes) {
      sum.value += bytes->value;
    }
  }
  // The mapping may be larger than the region by its alignment, and merged with a neighbour.
  return seen ? std::optional(std::min(sum, Bytes{region.bytes})) : std::nullopt;
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
  if (os.read_file("/proc/meminfo", text) == 0) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (const auto bytes = kilobytes(line, "MemAvailable:")) facts.available = bytes;
    }
  }
  return facts;
}

}  // namespace homenode::cli
