#include "sensing/sources/lab_counts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "sensing/sources/sample_file.h"

namespace homenode::sensing {
namespace {

/// What the plugin says of one region.
struct Region {
  std::map<std::uint32_t, pid_t> threads;  ///< Their ids by the plugin's numbers.
  std::vector<Sample> counts;
};

Unexpected no_counts() {
  return failed("this is no file of the lab's counts",
                "unset HOMENODE_LAB_COUNTS, or take another source of samples");
}

/// The ids of a document "lab_threads"; those that the plugin does not know are left out.
std::map<std::uint32_t, pid_t> thread_ids(std::string_view document) {
  std::map<std::uint32_t, pid_t> ids;
  const auto json = nlohmann::json::parse(document, nullptr, false);
  if (!json.is_object() || !json.contains("threads")) return ids;
  for (const auto& thread : json["threads"]) {
    const auto tid = thread.value("tid", pid_t{0});
    if (tid != 0) ids[thread.value("id", std::uint32_t{0})] = tid;
  }
  return ids;
}

/// Each region begins with the document of its threads.
Result<Region> latest_region(std::string_view blocks) {
  Region region;
  while (!blocks.empty()) {
    const auto block = take_block(blocks);
    if (!block) return no_counts();
    if (block->kind == "JSON") {
      region = {thread_ids(block->content), {}};
    } else if (block->kind == "SMPL") {
      append_samples(block->content, region.counts);
    } else {
      return no_counts();
    }
  }
  return region;
}

}  // namespace

Result<std::vector<Sample>> samples_of_counts(std::string_view blocks,
                                              const ProcessOfThread& processes,
                                              std::uint64_t most) {
  auto region = latest_region(blocks);
  if (!region) return region.as_unexpected();
  std::vector<Sample> counts;
  std::uint64_t all = 0;
  for (Sample& count : region->counts) {
    const auto tid = region->threads.find(count.tid);
    const auto pid = tid == region->threads.end() ? processes.end() : processes.find(tid->second);
    if (pid == processes.end()) continue;
    count.tid = static_cast<std::uint32_t>(pid->first);
    count.pid = static_cast<std::uint32_t>(pid->second);
    all += count.weight;
    counts.push_back(count);
  }
  const std::uint64_t period = std::max<std::uint64_t>(1, (all + most - 1) / most);
  std::vector<Sample> samples;
  std::uint64_t since = 0;  // Accesses since the last one that was taken.
  for (Sample& count : counts) {
    since += std::exchange(count.weight, static_cast<std::uint32_t>(period));
    for (; since >= period; since -= period) samples.push_back(count);
  }
  return samples;
}

}  // namespace homenode::sensing
