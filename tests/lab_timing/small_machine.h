// A machine with round figures, so that what the clock should say can be worked out by hand: an
// instruction takes 1 ns, local memory 100 ns, remote memory 200 ns, another cache 60 ns,
// a pause 30 ns.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "lab/plugin/region_control.h"
#include "lab/timing/core.h"

namespace homenode::lab::timing_test {

constexpr std::uint64_t instruction_ps = 1'000;
constexpr std::uint64_t local_ps = 100'000;
constexpr std::uint64_t remote_ps = 200'000;
constexpr std::uint64_t second_level_ps = 5'000;
constexpr std::uint64_t last_level_ps = 20'000;
constexpr std::uint64_t cache_to_cache_ps = 60'000;
constexpr std::uint64_t pause_ps = 30'000;
constexpr std::uint64_t wake_up_ps = 1'500'000;
constexpr std::uint64_t epoch_ps = 5'000'000;
constexpr std::uint64_t line_bytes = 64;
/// Of the process whose time the tests look at.
constexpr Region region{Scope::process, 0x5000};
/// So much that a line takes no time.
constexpr std::uint64_t unlimited_mibs = std::uint64_t{1} << 40;
/// Physical memory of a node; node 0 begins at zero.
constexpr unsigned node_shift = 28;

/// 16 sets of 4 ways, 32 sets of 8 ways, no last level. One vCPU's private caches.
inline TimingModel small_machine(unsigned nodes = 2, unsigned vcpus_per_node = 2) {
  TimingModel model;
  model.frequency_mhz = 1000;
  model.cpi_milli = 1000;
  model.window = 192;
  model.misses = 10;
  model.prefetches = 8;
  model.l1 = {4096, 4, 0};
  model.l2 = CacheTiming{16384, 8, second_level_ps};
  model.cache_to_cache_ps = cache_to_cache_ps;
  model.pause_ps = pause_ps;
  model.wake_up_ps = wake_up_ps;
  model.epoch_ps = epoch_ps;
  for (unsigned node = 0; node < nodes; ++node) {
    model.nodes.emplace_back(node);
    model.vcpu_nodes.insert(model.vcpu_nodes.end(), vcpus_per_node, node);
    model.controllers.push_back({unlimited_mibs, unlimited_mibs});
  }
  model.pairs.resize(std::size_t{nodes} * nodes);
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      PairTiming& pair = model.pairs[from * nodes + to];
      pair.known = true;
      pair.latency_ps = from == to ? local_ps : remote_ps;
    }
  }
  return model;
}

/// 64 sets of 16 ways, shared by the vCPUs of each node.
inline void add_last_level(TimingModel& model) {
  model.l3 = CacheTiming{65536, 16, last_level_ps};
  model.l3_groups.resize(model.nodes.size());
  for (unsigned vcpu = 0; vcpu < model.vcpu_nodes.size(); ++vcpu) {
    model.l3_groups[model.vcpu_nodes[vcpu]].push_back(vcpu);
  }
}

inline unsigned node_of_line(std::uint64_t line) {
  return static_cast<unsigned>(line * line_bytes >> node_shift);
}

inline Directory directory_of(const TimingModel& model) {
  auto directory = Directory::create((model.nodes.size() << node_shift) / model.line_bytes);
  EXPECT_TRUE(directory);
  return *std::move(directory);
}

/// Virtual addresses are physical ones, moved by `offset`; beyond the last node is a device.
class FlatMemory final : public Translation {
 public:
  explicit FlatMemory(std::size_t nodes) : nodes_(nodes) {}

  [[nodiscard]] std::optional<std::uint64_t> physical(std::uint64_t address) const override {
    if (is_device) return std::nullopt;
    return address + offset;
  }
  [[nodiscard]] std::optional<unsigned> node_of(std::uint64_t physical) const override {
    if (physical >> node_shift >= nodes_) return std::nullopt;
    return static_cast<unsigned>(physical >> node_shift);
  }
  [[nodiscard]] unsigned bytes() const override { return access_bytes; }

  bool is_device = false;
  std::uint64_t offset = 0;
  unsigned access_bytes = 8;

 private:
  std::size_t nodes_;
};

/// All cores of a machine, each running a thread of the region, with nobody to wait for.
class Machine {
 public:
  explicit Machine(TimingModel wanted)
      : model(std::move(wanted)),
        memory(model, directory_of(model), node_of_line),
        pace(static_cast<unsigned>(model.vcpu_nodes.size()), model.epoch_ps),
        translation(model.nodes.size()),
        instructions(model.vcpu_nodes.size()) {
    for (unsigned i = 0; i < model.vcpu_nodes.size(); ++i) {
      cores.push_back(std::make_unique<Core>(model, memory, pace, i));
      cores[i]->open(&instructions[i]);
      cores[i]->run(true);
    }
  }

  Core& core(unsigned vcpu = 0) { return *cores[vcpu]; }
  void load(std::uint64_t address, AccessShape shape = {}, unsigned vcpu = 0) {
    cores[vcpu]->access<false>(address, shape, translation);
  }
  void store(std::uint64_t address, AccessShape shape = {}, unsigned vcpu = 0) {
    cores[vcpu]->access<true>(address, shape, translation);
  }
  void execute(std::uint64_t count, unsigned vcpu = 0) { instructions[vcpu] += count; }

  TimingModel model;
  MemorySystem memory;
  Pace pace;
  FlatMemory translation;
  std::vector<std::uint64_t> instructions;
  std::vector<std::unique_ptr<Core>> cores;
};

/// `mov rax, [rax]`: each load needs the one before it.
inline AccessShape chase() {
  return AccessShape().waiting_for(0, AccessShape::none).filling(0);
}

/// So far apart that neither a page nor a walk joins two of them.
constexpr std::uint64_t far_apart = 37 * 4096 + 5 * line_bytes;

}  // namespace homenode::lab::timing_test
