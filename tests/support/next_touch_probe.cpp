// Who touched what, and where it then was: run in the lab by the tests in Python.
//
//   next_touch_probe PAGES UNIT_PAGES CPU...
//
// A region is written on the first CPU and armed. Then one thread on each CPU touches its pages: of
// n threads, thread i those whose unit's number is i modulo n + 1, so that some are nobody's. The
// threads touch at once. Prints one line of JSON with the node of each page before and after, what
// the counts say, and whether all pages still hold what was written.
#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "actuation/audit.h"
#include "actuation/next_touch.h"
#include "actuation/process.h"
#include "os/linux.h"

namespace homenode {
namespace {

using Json = nlohmann::json;
using actuation::Region;

template <class Value>
Value or_exit(Result<Value> result) {
  if (result) return *std::move(result);
  fmt::print(stderr, "next_touch_probe: {}\n", result.error().message());
  std::exit(1);
}
void or_exit(const Result<void>& result) {
  if (result) return;
  fmt::print(stderr, "next_touch_probe: {}\n", result.error().message());
  std::exit(1);
}

struct Plan {
  Region region;
  std::size_t pages = 0;
  std::size_t unit_pages = 0;
  std::vector<CpuId> cpus;
};

std::uint64_t* word_of(os::Os& os, const Plan& plan, std::size_t page) {
  return reinterpret_cast<std::uint64_t*>(static_cast<char*>(plan.region.address) +
                                          page * os.page_bytes());
}

Json nodes_of(os::Os& os, const Plan& plan) {
  Json nodes = Json::array();
  for (const auto& node : or_exit(actuation::audit(os, plan.region)).node_of_page) {
    nodes.push_back(node ? Json(node->value()) : Json(nullptr));
  }
  return nodes;
}

void touch_own(os::Os& os, const Plan& plan, std::size_t thread) {
  for (std::size_t page = 0; page < plan.pages; ++page) {
    if (page / plan.unit_pages % (plan.cpus.size() + 1) != thread) continue;
    std::atomic_ref<std::uint64_t>(*word_of(os, plan, page)).fetch_add(1);
  }
}

Json run(os::Os& os, const Plan& plan) {
  or_exit(actuation::bind_thread(os, 0, CpuSet{plan.cpus.front()}));
  for (std::size_t page = 0; page < plan.pages; ++page) *word_of(os, plan, page) = 1000 + page;
  Json json{{"before", nodes_of(os, plan)}};
  or_exit(actuation::arm_next_touch(os, plan.region, plan.unit_pages));
  pthread_barrier_t together;
  pthread_barrier_init(&together, nullptr, static_cast<unsigned>(plan.cpus.size()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < plan.cpus.size(); ++i) {
    threads.emplace_back([&, i] {
      or_exit(actuation::bind_thread(os, 0, CpuSet{plan.cpus[i]}));
      pthread_barrier_wait(&together);
      touch_own(os, plan, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  pthread_barrier_destroy(&together);
  json["after"] = nodes_of(os, plan);
  const auto counts = or_exit(actuation::disarm_next_touch(plan.region));
  bool kept = true;
  for (std::size_t page = 0; page < plan.pages; ++page) {
    const bool touched = page / plan.unit_pages % (plan.cpus.size() + 1) < plan.cpus.size();
    kept = kept && *word_of(os, plan, page) == 1000 + page + (touched ? 1 : 0);
  }
  json["kept"] = kept;
  json["counts"] = {{"units", counts.units},
                    {"touched", counts.touched_units},
                    {"moved", counts.pages_moved},
                    {"left", counts.pages_left},
                    {"gave_up", counts.gave_up}};
  return json;
}

}  // namespace
}  // namespace homenode

int main(int count, char** words) {
  using namespace homenode;
  if (count < 4) {
    std::fputs("next_touch_probe: give numbers of pages, of pages in a unit, and CPUs\n", stderr);
    return 2;
  }
  os::Linux os;
  Plan plan;
  plan.pages = std::strtoul(words[1], nullptr, 10);
  plan.unit_pages = std::strtoul(words[2], nullptr, 10);
  for (int i = 3; i < count; ++i) {
    plan.cpus.push_back(CpuId(static_cast<unsigned>(std::strtoul(words[i], nullptr, 10))));
  }
  plan.region.bytes = plan.pages * os.page_bytes();
  if (plan.unit_pages == 0 || os.map_memory(plan.region.bytes, plan.region.address) < 0) {
    std::fputs("next_touch_probe: no such memory\n", stderr);
    return 1;
  }
  fmt::print("{}\n", run(os, plan).dump());
  return 0;
}
