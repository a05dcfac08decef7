// homenode bench numa-mem: the loops of one thread over its memory, on the run's clock, and what
// its process reports of them.
#pragma once

#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>

#include "trial/numa_mem/process.h"
#include "workloads/numa_mem/words.h"

namespace homenode::trial {

/// What a task did.
struct NumaMemRecord {
  std::uint64_t loops = 0;
  double start_s = 0.0;  ///< Since some moment that all processes share; the run's clock.
  double end_s = 0.0;
  double user_s = 0.0;  ///< CPU time, of the kernel that runs it.
  double system_s = 0.0;
  bool right = true;                 ///< All that it read was what it should be.
  std::uint64_t updates_global = 0;  ///< Words.
  std::uint64_t updates_process = 0;
  std::uint64_t updates_thread = 0;
  std::uint64_t wrong_in_thread = 0;  ///< Words of its own memory that are wrong at the end.
};

void to_json(nlohmann::json& json, const NumaMemRecord& record);
void from_json(const nlohmann::json& json, NumaMemRecord& record);

/// What the users of a memory did together; `updates` is the member that counts those in it.
workloads::numa_mem::Use use_of(std::span<const NumaMemRecord> users,
                                std::uint64_t NumaMemRecord::*updates, bool with_locked_part);

/// A thread of a process and what it works on.
struct NumaMemWorker {
  const NumaMemWorld& world;
  unsigned process = 0;
  unsigned thread = 0;
  workloads::numa_mem::Words process_memory;
  workloads::numa_mem::Words thread_memory;
  std::mutex& lock;  ///< perf's lock of the process.
};

/// Loops as often as the plan has it or until the tasks are stopped; says after each where it is.
NumaMemRecord do_loops(const NumaMemWorker& worker);

}  // namespace homenode::trial
