// Runs a simulation in memory of its own, full of bytes that nobody set to zero.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "workloads/seismic/layout.h"
#include "workloads/seismic/solver.h"

namespace homenode::workloads::seismic {

inline Recording run_scene(const Scene& scene, unsigned threads = 1,
                           const std::vector<Slice>& slices = {}, const TimeBlock& block = {}) {
  EXPECT_EQ(fault_of(scene), "");
  constexpr std::size_t page = 4096;
  std::vector<std::unique_ptr<void, decltype(&std::free)>> owned;
  std::vector<void*> memory;
  for (const ArrayNeed& need : arrays_of(scene)) {
    const std::size_t bytes = (need.bytes + page - 1) / page * page;
    owned.emplace_back(std::aligned_alloc(page, bytes), &std::free);
    std::memset(owned.back().get(), 0x5b, bytes);
    memory.push_back(owned.back().get());
  }
  return simulate(scene, memory, threads, slices, block);
}

}  // namespace homenode::workloads::seismic
