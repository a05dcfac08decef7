#include "actuation/mappings.h"

#include <sys/mman.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>
#include <utility>

#include "actuation/refusal.h"
#include "machine/kernel_files.h"

namespace homenode::actuation {
namespace {

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

std::optional<Bytes> huge_in(std::string_view smaps, std::uintptr_t first, std::size_t bytes) {
  Bytes sum;
  bool seen = false;
  bool inside = false;
  while (!smaps.empty()) {
    const std::string_view line = smaps.substr(0, smaps.find('\n'));
    smaps.remove_prefix(std::min(line.size() + 1, smaps.size()));
    if (const auto mapping = mapping_of(line)) {
      inside = mapping->first < first + bytes && first < mapping->second;
      seen = seen || inside;
    } else if (!inside) {
      continue;
    } else if (const auto huge = machine::memory_amount(line, "AnonHugePages:")) {
      sum.value += huge->value;
    }
  }
  return seen ? std::optional(std::min(sum, Bytes{bytes})) : std::nullopt;
}

std::optional<Bytes> huge_bytes(os::Os& os, Region region) {
  std::string smaps;
  if (os.read_file("/proc/self/smaps", smaps) < 0) return std::nullopt;
  return huge_in(smaps, reinterpret_cast<std::uintptr_t>(region.address), region.bytes);
}

std::optional<std::vector<Region>> closed_remains(std::string_view maps, std::uintptr_t first,
                                                  std::size_t bytes) {
  std::vector<Region> closed;
  std::size_t mapped = 0;
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    const auto mapping = mapping_of(line);
    if (!mapping) continue;
    const std::uintptr_t begin = std::max(mapping->first, first);
    const std::uintptr_t end = std::min(mapping->second, first + bytes);
    if (end <= begin) continue;
    mapped += end - begin;
    if (line.find(" ---p ") == std::string_view::npos) continue;
    closed.push_back({reinterpret_cast<void*>(begin), end - begin});  // NOLINT
  }
  if (mapped == bytes) return std::nullopt;
  return closed;
}

Result<void> forbid_huge_pages(os::Os& os, Region region) {
  const std::size_t bytes = page_count(os, region) * os.page_bytes();
  const int result = os.advise_memory(region.address, bytes, MADV_NOHUGEPAGE);
  // EINVAL: a kernel that has no huge pages, so there is nothing to forbid.
  if (result == 0 || result == -EINVAL) return {};
  return refusal(os, {.call = Call::madvise, .tried = "cannot forbid huge pages in the region"},
                 result);
}

void split_huge_page(os::Os& os, void* page) {
  (void)os.advise_memory(page, os.page_bytes(), MADV_COLD);
}

}  // namespace homenode::actuation
