// A vCPU whose threads' time can be worked out by hand: an instruction takes 1 ns.
#pragma once

#include "lab/timing/timed_vcpu.h"
#include "small_machine.h"

namespace homenode::lab::timing_test {

constexpr ThreadKey first{0x5000, 0x10};
constexpr ThreadKey second{0x5000, 0x20};
constexpr ThreadKey idle{0x5000, 0};
constexpr ThreadKey stranger{0x6000, 0x10};

/// One vCPU, beside a machine that lends it its memory.
struct Alone {
  Alone() : machine(small_machine(1, 1)), vcpu(machine.model, machine.memory, pace, wakeups, 0) {
    pace.open();
  }
  void run(std::uint64_t count) { instructions += count; }

  Machine machine;
  Pace pace{1, 5'000'000};
  Wakeups wakeups;
  TimedVcpu vcpu;
  std::uint64_t instructions = 0;
};

constexpr Task first_task = 0xffff8880'00001000;
constexpr Task second_task = 0xffff8880'00002000;
constexpr Task idle_task = 0xffff8880'00003000;
constexpr Task worker_task = 0xffff8880'00004000;  // The kernel's own.

}  // namespace homenode::lab::timing_test
