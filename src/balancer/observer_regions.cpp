// The close look: samples of a burst put into regions of 2 MiB, and where the pages of those are.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "balancer/observer.h"
#include "sensing/page_query.h"
#include "sensing/process_reader.h"

namespace homenode::balancer {
namespace {

using balance::region_bytes;

/// The mapping that has the address; null for none.
const sensing::Mapping* mapping_of(const sensing::Survey& survey, std::uint64_t address) {
  const auto after =
      std::ranges::upper_bound(survey.mappings, address, {}, &sensing::Mapping::first);
  if (after == survey.mappings.begin()) return nullptr;
  const sensing::Mapping& mapping = *std::prev(after);
  return mapping.end && address < *mapping.end ? &mapping : nullptr;
}

std::string why_not(const sensing::Mapping& mapping) {
  if (mapping.policy.mode != "default") {
    return "it has the policy " + to_string(mapping.policy);
  }
  if (mapping.locked.value_or(Bytes()).value > 0) return "it is locked in memory";
  switch (mapping.group) {
    case sensing::Group::heap:
    case sensing::Group::stack:
    case sensing::Group::anonymous:
      return {};
    case sensing::Group::huge:
      return "it is of hugetlbfs";
    case sensing::Group::file:
    case sensing::Group::shared:
      return "other processes may share it";
  }
  return {};
}

/// The part of a mapping in one unit of 2 MiB, which huge pages are aligned to.
balance::Region region_at(const sensing::Mapping& mapping, std::uint64_t address) {
  const std::uint64_t unit = address / region_bytes * region_bytes;
  balance::Region region;
  region.first = std::max(unit, mapping.first);
  region.bytes = std::min(unit + region_bytes, *mapping.end) - region.first;
  region.page_size = mapping.page_size;
  region.why_not = why_not(mapping);
  region.is_whole =
      region.bytes == region_bytes && mapping.transparent_huge.value_or(Bytes()).value > 0;
  return region;
}

/// Where the pages of a region are, and those of them that were seen in use.
int find_pages(os::Os& os, pid_t pid, balance::Region& region) {
  const auto addresses = sensing::addresses_of(
      {region.first, region.bytes / region.page_size.value, region.page_size});
  std::vector<int> status;
  const int result = sensing::query_pages(os, pid, addresses, status);
  if (result < 0) return result;
  for (const int node : status) {
    if (node >= 0) ++region.pages[NodeId(static_cast<unsigned>(node))];
  }
  std::erase_if(region.used_pages, [&](balance::Page& page) {
    const int node = status[(page.address - region.first) / region.page_size.value];
    if (node >= 0) page.node = NodeId(static_cast<unsigned>(node));
    return node < 0;
  });
  return 0;
}

/// Adds a sample to its region, and to its page where that moves alone.
void add_use(balance::Region& region, std::uint64_t address, const balance::TaskKey& thread,
             std::map<std::uint64_t, balance::Page>& pages) {
  region.uses[thread] += 1;
  const std::uint64_t bytes = region.page_size.value;
  if (region.is_whole || bytes >= region_bytes) return;
  balance::Page& page = pages[address / bytes * bytes];
  page.address = address / bytes * bytes;
  page.uses[thread] += 1;
}

}  // namespace

Result<void> Observer::look_closely(Observation& seen) {
  const pid_t pid = seen.process.id;
  BurstRequest request;
  request.pid = pid;
  request.source = options_.source;
  request.inner = options_.inner;
  request.longest = options_.burst;
  request.overhead = options_.overhead;
  request.scratch = options_.scratch;
  auto burst = sample_burst(files_.os, machine_, request, pace_);
  if (!burst) return burst.as_unexpected();
  seen.source = burst->source;
  seen.source_misses = burst->misses;
  seen.better_sources = burst->refused;
  if (burst->source.empty()) {
    const std::string why = burst->refused.empty() ? "" : burst->refused.back().second;
    return not_supported("no source of samples works for process " + std::to_string(pid), why);
  }
  const auto survey = sensing::read_survey(files_, pid, {.amounts = true});
  if (!survey) return survey.as_unexpected();
  if (survey->started != seen.process.started) {
    return failed(fmt::format("process {} has ended", pid), "nothing is left to do");
  }
  std::map<pid_t, balance::TaskKey> threads;
  for (const balance::Thread& thread : seen.threads) threads[thread.key.id] = thread.key;
  std::map<std::uint64_t, balance::Region> regions;
  std::map<std::uint64_t, balance::Page> pages;
  for (const Sample& sample : burst->samples) {
    const auto thread = threads.find(static_cast<pid_t>(sample.tid));
    const sensing::Mapping* const mapping = mapping_of(*survey, sample.address);
    if (thread == threads.end() || mapping == nullptr) continue;
    balance::Region region = region_at(*mapping, sample.address);
    const std::uint64_t first = region.first;
    auto& known = regions.try_emplace(first, std::move(region)).first->second;
    add_use(known, sample.address, thread->second, pages);
  }
  for (auto& [address, page] : pages) {
    regions.at(std::prev(regions.upper_bound(address))->first)
        .used_pages.push_back(std::move(page));
  }
  for (auto& [first, region] : regions) {
    const int result = find_pages(files_.os, pid, region);
    if (result < 0) {
      return failed(fmt::format("cannot find out where the pages of process {} are", pid),
                    "run it as root or as the process's user", -result);
    }
    if (!region.pages.empty()) seen.regions.push_back(std::move(region));
  }
  return {};
}

}  // namespace homenode::balancer
