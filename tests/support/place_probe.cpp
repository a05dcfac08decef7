// Where the kernel puts memory under each rule: run in the lab by the tests in Python.
//
//   place_probe small|huge CPU PAGES RULE...
//
// On that CPU, for each rule, prints one line of JSON: the nodes of the pages of a fresh region
// under the rule, and of a region whose pages were all written before on this CPU, and how many
// mappings the rule added; or what was refused. It says what the kernel says (audit), and knows
// nothing of what is expected. `small` forbids huge pages, `huge` leaves them as the kernel has
// them.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "actuation/audit.h"
#include "actuation/process.h"
#include "actuation/region.h"
#include "machine/kernel_files.h"
#include "os/linux.h"
#include "placement/policies/memory_rule.h"

namespace homenode {
namespace {

using Json = nlohmann::json;
using actuation::Region;

struct Refused {
  std::string message;
};

template <class Value>
Value or_refused(Result<Value> result) {
  if (!result) throw Refused{result.error().message()};
  return *std::move(result);
}

struct Options {
  bool huge = false;
  std::size_t pages = 0;
};

std::size_t mappings(os::Os& os) {
  std::string maps;
  os.read_file("/proc/self/maps", maps);
  return static_cast<std::size_t>(std::count(maps.begin(), maps.end(), '\n'));
}

Json nodes_of(os::Os& os, Region region) {
  Json nodes = Json::array();
  for (const auto& node : or_refused(actuation::audit(os, region)).node_of_page) {
    nodes.push_back(node ? Json(node->value()) : Json(nullptr));
  }
  return nodes;
}

Region mapped(os::Os& os, const Options& options) {
  Region region{nullptr, options.pages * os.page_bytes()};
  if (os.map_memory(region.bytes, region.address) < 0) throw Refused{"cannot map memory"};
  if (!options.huge) os.advise_memory(region.address, region.bytes, MADV_NOHUGEPAGE);
  return region;
}

Json receipt_of(const actuation::Receipt& receipt) {
  Json refusals = Json::array();
  for (const Error& error : receipt.refusals) refusals.push_back(error.message());
  return {{"pages", receipt.pages},
          {"as_planned", receipt.as_planned},
          {"moved", receipt.moved},
          {"refused", receipt.refused},
          {"refusals", refusals}};
}

/// The region under the rule; all its pages are then present.
Json apply(os::Os& os, Region region, const placement::MemoryRule& rule) {
  const auto how = or_refused(placement::resolve(rule, actuation::page_count(os, region)));
  if (const auto* map = std::get_if<placement::PageMap>(&how)) {
    return receipt_of(or_refused(actuation::place_pages(os, region, *map)));
  }
  const Json receipt = receipt_of(
      or_refused(actuation::move_to_policy(os, region, std::get<placement::Policy>(how))));
  os.populate_memory(region.address, region.bytes);
  return receipt;
}

Json report(os::Os& os, const Options& options, const std::string& text) {
  const auto rule = or_refused(placement::parse_memory_rule(text, machine::allowed_nodes(os)));
  const Region written = mapped(os, options);
  os.populate_memory(written.address, written.bytes);
  const Region fresh = mapped(os, options);
  const std::size_t before = mappings(os);
  Json json{{"rule", text}};
  const auto show = [&](const std::string& name, Region region) {
    const auto first = reinterpret_cast<std::uintptr_t>(region.address) / os.page_bytes();
    json[name] = {{"first_page", first}, {"receipt", apply(os, region, rule)}};
    json[name]["nodes"] = nodes_of(os, region);
  };
  show("fresh", fresh);
  show("written", written);
  json["mappings_added"] = static_cast<long>(mappings(os)) - static_cast<long>(before);
  os.unmap_memory(fresh.address, fresh.bytes);
  os.unmap_memory(written.address, written.bytes);
  return json;
}

}  // namespace
}  // namespace homenode

int main(int count, char** words) {
  using namespace homenode;
  if (count < 5) {
    std::fputs("place_probe: give small or huge, a CPU, a number of pages and rules\n", stderr);
    return 2;
  }
  os::Linux os;
  const CpuId cpu(static_cast<unsigned>(std::strtoul(words[2], nullptr, 10)));
  if (const auto bound = actuation::bind_thread(os, 0, CpuSet{cpu}); !bound) {
    fmt::print(stderr, "place_probe: {}\n", bound.error().message());
    return 1;
  }
  const Options options{std::string_view(words[1]) == "huge", std::strtoul(words[3], nullptr, 10)};
  for (int i = 4; i < count; ++i) {
    Json json;
    try {
      json = report(os, options, words[i]);
    } catch (const Refused& refused) {
      json = {{"rule", words[i]}, {"refused", refused.message}};
    }
    fmt::print("{}\n", json.dump());
  }
  return 0;
}
