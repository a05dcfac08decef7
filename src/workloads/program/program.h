// A program whose placement is tried: it names its arrays, others give it memory for them, placed
// as they like, and every run ends in a check of what was computed, so that no fault of placement
// can hide. No printing, no placement inside.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/marker.h"

namespace homenode::workloads {

/// Consecutive things.
struct Range {
  std::size_t first = 0;
  std::size_t count = 0;

  [[nodiscard]] std::size_t end() const { return first + count; }
};

/// The index-th of `parts` contiguous parts of `extent` things; the first (extent mod parts) have
/// one thing more. pre: index < parts.
inline Range part_of(std::size_t extent, std::size_t parts, std::size_t index) {
  const std::size_t even = extent / parts;
  const std::size_t longer = extent % parts;
  return {index * even + std::min(index, longer), even + (index < longer ? 1 : 0)};
}

/// Who uses an array.
enum class Sharing {
  parts,  ///< Thread i the i-th of as many equal parts as there are threads, all but its borders.
  all,    ///< Every thread all of it, or parts that no equal cut follows.
};

struct ArrayNeed {
  std::string name;  ///< As the program's specification calls it.
  std::size_t bytes = 0;
  Sharing sharing = Sharing::parts;
};

/// One comparison with an official or closed-form value.
struct Check {
  std::string name;
  double value = 0.0;
  double expected = 0.0;
  double tolerance = 0.0;  ///< Of the relative error; of the value itself where 0 is expected.

  [[nodiscard]] bool passed() const {
    const double error = std::abs(value - expected);  // Not a number passes nothing.
    return error <= tolerance * (expected == 0.0 ? 1.0 : std::abs(expected));
  }
};

/// Something else that a run says of itself.
struct Figure {
  std::string name;
  double value = 0.0;
  std::string unit;
  bool timed = false;  ///< It hangs on the host's clock.
};

struct ProgramOutcome {
  double seconds = 0.0;     ///< The part that the program's specification times, wall time.
  double operations = 0.0;  ///< In that part, as the specification counts them.
  std::string unit;         ///< Of 1e6 operations a second, such as "Mop/s".
  std::vector<Check> checks;
  std::vector<Figure> figures = {};  ///< None, for most programs.

  [[nodiscard]] bool verified() const {
    for (const Check& check : checks) {
      if (!check.passed()) return false;
    }
    return !checks.empty();
  }
  /// 1e6 operations a second.
  [[nodiscard]] double rate() const { return seconds > 0.0 ? operations / seconds / 1e6 : 0.0; }
};

class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;

  /// What it needs besides small change; known before anything is allocated.
  [[nodiscard]] virtual std::vector<ArrayNeed> arrays() const = 0;

  /// Initialises, computes, checks, with an OpenMP team of `threads`, always of that size, the
  /// caller being rank 0 (message-driven programs start threads of their own). May be called again.
  /// memory[i] belongs to arrays()[i]: aligned to a page, of any content, the caller's, free for
  /// use during the call.
  virtual ProgramOutcome run(std::span<void* const> memory, unsigned threads) = 0;
};

/// Wall time since it was made.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The slot of the lab's clock that has the modelled time of the last timed part.
inline constexpr std::size_t timed_part_slot = 8191;

/// The part of a program that its specification times, which is a region of interest in the lab:
/// begun and ended by one thread, for all of them.
class TimedPart {
 public:
  void begin() {
    hn_marker_begin();
    stopwatch_ = Stopwatch();
  }
  /// Ends it: its wall time in seconds.
  double end() {
    const double seconds = stopwatch_.seconds();
    hn_marker_clock(timed_part_slot);
    hn_marker_end();
    return seconds;
  }

 private:
  Stopwatch stopwatch_;
};

}  // namespace homenode::workloads
