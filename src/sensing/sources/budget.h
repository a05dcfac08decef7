// What sampling costs and whether it may go on: the processor time of the sampler and of the faults
// that it causes, over the processor time that the program uses. Pure. Serves the verb `sample`.
#pragma once

#include <cstdint>

namespace homenode::sensing {

class Budget {
 public:
  /// `share` is the most that sampling may cost, over the program's processor time.
  explicit Budget(double share) : share_(share) {}

  /// What page faults, or walks through page tables, have taken from the program.
  void add_faults_ns(std::uint64_t nanoseconds) { faults_ns_ += nanoseconds; }
  /// Samples that the kernel could not keep.
  void add_lost(std::uint64_t samples) { lost_ += samples; }
  /// What allows() did not allow, the latest.
  void set_refused_ns(std::uint64_t next_ns) { refused_ns_ = next_ns; }
  /// What both have used of processors since sampling began.
  void set_used(std::uint64_t sampler_ns, std::uint64_t program_ns) {
    sampler_ns_ = sampler_ns;
    program_ns_ = program_ns;
  }

  /// True when something that costs `next_ns` still leaves all within the budget.
  [[nodiscard]] bool allows(std::uint64_t next_ns) const {
    return static_cast<double>(spent_ns() + next_ns) <= share_ * static_cast<double>(program_ns_);
  }
  [[nodiscard]] std::uint64_t spent_ns() const { return sampler_ns_ + faults_ns_; }
  [[nodiscard]] std::uint64_t sampler_ns() const { return sampler_ns_; }
  [[nodiscard]] std::uint64_t faults_ns() const { return faults_ns_; }
  [[nodiscard]] std::uint64_t program_ns() const { return program_ns_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] double refused_s() const { return static_cast<double>(refused_ns_) * 1e-9; }
  /// What it cost over what the program used; 0 while that used nothing.
  [[nodiscard]] double share() const {
    return program_ns_ == 0 ? 0.0
                            : static_cast<double>(spent_ns()) / static_cast<double>(program_ns_);
  }

 private:
  double share_;
  std::uint64_t sampler_ns_ = 0;
  std::uint64_t faults_ns_ = 0;
  std::uint64_t program_ns_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t refused_ns_ = 0;
};

}  // namespace homenode::sensing
