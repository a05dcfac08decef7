// One thread for each CPU, bound to it, asleep until it is needed: an idle CPU must not disturb
// what is measured on another.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "os/os.h"

namespace homenode::measure {

class Team {
 public:
  /// What a member does; its place is its position among the members of that run.
  using Task = std::function<void(std::size_t place)>;

  /// Starts and binds a thread for each CPU. Errors: what the kernel says to a thread or a binding.
  static Result<std::unique_ptr<Team>> start(os::Os& os, std::vector<CpuId> cpus);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  [[nodiscard]] const std::vector<CpuId>& cpus() const { return cpus_; }
  /// The member on a CPU: its slot of the clock too. pre: the CPU is one of cpus().
  [[nodiscard]] std::size_t member_on(CpuId cpu) const;

  /// Wakes these members, lets them wait for each other, and runs the task in all of them at the
  /// same time; returns when all have finished. pre: members are different, and not empty.
  void run(std::span<const std::size_t> members, const Task& task);

 private:
  struct Member {
    std::thread thread;
    std::atomic<std::uint32_t> turn{0};  ///< Raised to wake the member.
    std::size_t place = 0;
  };

  explicit Team(std::vector<CpuId> cpus) : cpus_(std::move(cpus)) {}
  void live(std::size_t index);
  void meet();

  std::vector<CpuId> cpus_;
  std::vector<std::unique_ptr<Member>> members_;
  const Task* task_ = nullptr;  ///< Of the present run; null: the members leave.
  std::uint32_t expected_ = 0;  ///< How many take part in it.
  std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> working_{0};
  std::vector<int> binding_errors_;
};

}  // namespace homenode::measure
