// homenode bench stress: its options as a value, and what they may be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/choices.h"
#include "base/result.h"
#include "base/units.h"
#include "trial/memory.h"
#include "workloads/stress/targets.h"

namespace homenode::trial {

/// Who touches a block's pages first.
enum class FirstTouch {
  thread,  ///< The block's own thread, while it is pinned: local memory, no policy.
  main,    ///< One thread for all, wherever it is: the memory is where the system puts it.
  bound,   ///< The block's own thread, under a policy that binds the block to the start node.
};

/// Who may move pages and threads while the test runs: whoever does so already; nobody; numad;
/// nobody, with all memory bound to some nodes; the kernel's balancing; `homenode balance`.
enum class StressMode { system, plain, numad, membind, kernel, balance };

struct StressOptions {
  workloads::stress::Pattern pattern = workloads::stress::Pattern::neighbour;
  std::string map;  ///< Targets that differ from the pattern's own, as 0:1,1:2.
  Bytes block = 64_MiB;
  std::optional<unsigned> threads_per_node;  ///< One per allowed CPU when absent.
  std::optional<std::uint64_t> cycles;       ///< Of each thread; else for `seconds`.
  double seconds = 10.0;
  bool writes = false;
  std::size_t stride_bytes = 64;
  FirstTouch first_touch = FirstTouch::thread;
  std::optional<double> hold_s = 3.0;  ///< Nothing: pinned to the end.
  double interval_s = 1.0;
  std::size_t samples = 4096;  ///< Pages that are looked at.
  PageKind pages = PageKind::small;
  std::uint64_t seed = 1;
  StressMode mode = StressMode::system;
  std::string modes;              ///< Several, in a row, instead of `mode`; see parse_modes().
  std::string membind;            ///< The nodes of the mode membind.
  unsigned numad_interval_s = 5;  ///< numad's -i, and the interval of `homenode balance`.
  std::string output;             ///< A file for the JSON, or empty.
  bool json = false;
};

inline constexpr Choices<StressMode, 6> stress_modes{{{"system", StressMode::system},
                                                      {"plain", StressMode::plain},
                                                      {"numad", StressMode::numad},
                                                      {"membind", StressMode::membind},
                                                      {"kernel", StressMode::kernel},
                                                      {"balance", StressMode::balance}}};
inline constexpr Choices<workloads::stress::Pattern, 3> stress_patterns{
    {{"1", workloads::stress::Pattern::neighbour},
     {"2", workloads::stress::Pattern::shared},
     {"random", workloads::stress::Pattern::random}}};
inline constexpr Choices<FirstTouch, 3> first_touches{
    {{"thread", FirstTouch::thread}, {"main", FirstTouch::main}, {"bound", FirstTouch::bound}}};

/// The names on the command line and in JSON.
std::string to_string(workloads::stress::Pattern pattern);
std::string to_string(FirstTouch first_touch);

/// What is wrong with the options whatever the machine. Errors: bad_usage.
Result<void> check(const StressOptions& options);

}  // namespace homenode::trial
