// Memory for the arrays of a program under test: aligned to a page and of odd content.
#pragma once

#include <cstdlib>
#include <cstring>
#include <vector>

#include "workloads/program/program.h"

namespace homenode::workloads {

class ProbeMemory {
 public:
  explicit ProbeMemory(const Program& program) {
    for (const ArrayNeed& need : program.arrays()) {
      const std::size_t bytes = (need.bytes + 4095) / 4096 * 4096;
      void* const array = std::aligned_alloc(4096, bytes);
      std::memset(array, 0x5a, bytes);
      arrays_.push_back(array);
    }
  }
  ProbeMemory(const ProbeMemory&) = delete;
  ProbeMemory& operator=(const ProbeMemory&) = delete;
  ~ProbeMemory() {
    for (void* const array : arrays_) std::free(array);
  }
  [[nodiscard]] std::span<void* const> arrays() const { return arrays_; }

 private:
  std::vector<void*> arrays_;
};

/// One run with memory of its own.
inline ProgramOutcome run_probe(Program& program, unsigned threads) {
  const ProbeMemory memory(program);
  return program.run(memory.arrays(), threads);
}

}  // namespace homenode::workloads
