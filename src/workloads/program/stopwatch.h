// Wall time of the part of a program that its specification times.
#pragma once

#include <chrono>

namespace homenode::workloads {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace homenode::workloads
