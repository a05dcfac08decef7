// What placing a region page by page costs, side by side with a plain populate: run by
// bench/place.py.
//
//   place_cost MIB ROUNDS
//
// In turn, on fresh memory of small pages: a plain populate, placements of a cyclic and of a random
// map over four nodes, and an audit. Prints a line of JSON a round. Where the machine has fewer
// nodes, the four are folded onto one of them: the kernel is asked for all that four nodes need,
// policies and runs of pages, and only the answers are unfolded.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>

#include "actuation/audit.h"
#include "actuation/region.h"
#include "machine/kernel_files.h"
#include "os/linux.h"
#include "placement/distributions/distribution.h"

namespace {

using namespace homenode;
using actuation::Region;

constexpr unsigned folded_nodes = 4;

/// The kernel, as if its node had been `folded_nodes`, and each page on the one of its map.
class Folded final : public os::Os {
 public:
  explicit Folded(NodeId real) : real_(real) {}
  /// The region that the answers are about, and its map.
  void place_at(const void* address, const placement::PageMap& map) {
    first_ = number(address);
    map_ = &map;
  }

  int set_mempolicy(int mode, const NodeSet& nodes) override {
    return os_.set_mempolicy(mode, nodes.empty() ? nodes : NodeSet{real_});
  }
  int get_mempolicy(int& mode, NodeSet& nodes) override { return os_.get_mempolicy(mode, nodes); }
  int next_interleave_node(NodeId& node) override { return os_.next_interleave_node(node); }
  int mbind(void* address, std::size_t bytes, int mode, const NodeSet&, unsigned flags) override {
    return os_.mbind(address, bytes, mode, NodeSet{real_}, flags);
  }
  int set_home_node(void* address, std::size_t bytes, NodeId) override {
    return os_.set_home_node(address, bytes, real_);
  }
  int move_pages(pid_t pid, std::span<void* const> pages, std::span<const int> targets,
                 std::span<int> status, int flags) override {
    const int result = os_.move_pages(pid, pages, targets, status, flags);
    for (std::size_t i = 0; i < pages.size(); ++i) {
      if (status[i] >= 0) status[i] = static_cast<int>((*map_)[number(pages[i]) - first_].value());
    }
    return result;
  }
  int sched_setaffinity(pid_t thread, const CpuSet& cpus) override {
    return os_.sched_setaffinity(thread, cpus);
  }
  int sched_getaffinity(pid_t thread, CpuSet& cpus) override {
    return os_.sched_getaffinity(thread, cpus);
  }
  int getcpu(CpuId& cpu, NodeId& node) override { return os_.getcpu(cpu, node); }
  int map_memory(std::size_t bytes, void*& address) override {
    return os_.map_memory(bytes, address);
  }
  int map_aligned_memory(std::size_t bytes, std::size_t alignment, void*& address) override {
    return os_.map_aligned_memory(bytes, alignment, address);
  }
  int unmap_memory(void* address, std::size_t bytes) override {
    return os_.unmap_memory(address, bytes);
  }
  int advise_memory(void* address, std::size_t bytes, int advice) override {
    return os_.advise_memory(address, bytes, advice);
  }
  int protect_memory(void* address, std::size_t bytes, int protection) override {
    return os_.protect_memory(address, bytes, protection);
  }
  int populate_memory(void* address, std::size_t bytes) override {
    return os_.populate_memory(address, bytes);
  }
  int populate_ranges(std::span<const os::MemoryRange> ranges) override {
    return os_.populate_ranges(ranges);
  }
  std::size_t page_bytes() override { return os_.page_bytes(); }
  int execute(const std::vector<std::string>& arguments) override { return os_.execute(arguments); }
  int read_file(const std::string& path, std::string& content) override {
    return os_.read_file(path, content);
  }
  int read_file_at(const std::string& path, std::uint64_t offset,
                   std::span<char> content) override {
    return os_.read_file_at(path, offset, content);
  }

 private:
  std::size_t number(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) / os_.page_bytes();
  }
  os::Linux os_;
  NodeId real_;
  std::size_t first_ = 0;
  const placement::PageMap* map_ = nullptr;
};

std::size_t mappings(os::Os& os) {
  std::string maps;
  os.read_file("/proc/self/maps", maps);
  return static_cast<std::size_t>(std::count(maps.begin(), maps.end(), '\n'));
}

Region fresh(os::Os& os, std::size_t bytes) {
  Region region{nullptr, bytes};
  if (os.map_memory(bytes, region.address) < 0) {
    fmt::print(stderr, "place_cost: cannot map {} MiB\n", bytes >> 20U);
    std::exit(1);
  }
  os.advise_memory(region.address, bytes, MADV_NOHUGEPAGE);
  return region;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Of this process on its CPU, in user and kernel mode: other programs disturb that least.
template <class Body>
double seconds(Body body) {
  const double start = cpu_seconds();
  body();
  return cpu_seconds() - start;
}

template <class Value>
void check(const Result<Value>& result) {
  if (result) return;
  fmt::print(stderr, "place_cost: {}\n", result.error().message());
  std::exit(1);
}

struct Cost {
  double place_s;
  double audit_s;
  std::size_t as_planned;
  std::size_t mappings_added;
};

Cost place(os::Os& os, Folded* folded, const placement::PageMap& map) {
  const Region region = fresh(os, map.size() * os.page_bytes());
  if (folded != nullptr) folded->place_at(region.address, map);
  const std::size_t before = mappings(os);
  Cost cost{};
  cost.place_s = seconds([&] {
    const auto receipt = actuation::place_pages(os, region, map);
    check(receipt);
    cost.as_planned = receipt->as_planned;
  });
  cost.mappings_added = mappings(os) - before;
  cost.audit_s = seconds([&] { check(actuation::audit(os, region)); });
  os.unmap_memory(region.address, region.bytes);
  return cost;
}

void round(os::Os& os, Folded* folded, std::size_t pages, const std::vector<NodeId>& nodes) {
  const std::size_t bytes = pages * os.page_bytes();
  const Region plain = fresh(os, bytes);
  const double populate_s = seconds([&] { os.populate_memory(plain.address, bytes); });
  os.unmap_memory(plain.address, bytes);
  const Cost cyclic = place(os, folded, placement::cyclic(pages, nodes));
  const Cost random = place(os, folded, placement::random(pages, nodes, {.seed = 1}));
  fmt::print(
      "{{\"pages\": {}, \"as_planned\": {}, \"populate_s\": {}, \"cyclic_s\": {}, \"random_s\": "
      "{}, "
      "\"audit_s\": {}, \"mappings_added\": {}, \"folded\": {}}}\n",
      pages, std::min(cyclic.as_planned, random.as_planned), populate_s, cyclic.place_s,
      random.place_s, cyclic.audit_s, std::max(cyclic.mappings_added, random.mappings_added),
      folded != nullptr);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("place_cost: give a number of MiB and of rounds\n", stderr);
    return 2;
  }
  os::Linux linux_os;
  const std::vector<NodeId> real = machine::allowed_nodes(linux_os).to_vector();
  if (real.empty()) return 1;
  Folded folded(real.front());
  const bool fold = real.size() < folded_nodes;
  std::vector<NodeId> nodes;
  for (unsigned i = 0; i < folded_nodes; ++i) nodes.push_back(fold ? NodeId(i) : real[i]);
  os::Os& os = fold ? static_cast<os::Os&>(folded) : linux_os;
  const std::size_t pages = (std::strtoul(words[1], nullptr, 10) << 20U) / os.page_bytes();
  for (int left = std::atoi(words[2]); left > 0; --left) {
    round(os, fold ? &folded : nullptr, pages, nodes);
  }
  return 0;
}
