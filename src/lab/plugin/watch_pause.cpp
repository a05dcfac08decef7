#include <algorithm>
#include <chrono>
#include <thread>

#include "lab/plugin/plugin.h"
#include "lab/plugin/watch.h"

namespace homenode::lab {
namespace {

// Rounds of a loop before the host's CPU is given to others, and for how long.
constexpr unsigned rounds = 4;
constexpr std::chrono::microseconds shortest_rest(20);
constexpr std::chrono::microseconds longest_rest(1000);

// Twice as long each time, as long as a loop does nothing but wait.
void give_way() {
  using Clock = std::chrono::steady_clock;
  static thread_local Clock::time_point rested;
  static thread_local std::chrono::microseconds rest = shortest_rest;
  const bool waited_on = Clock::now() - rested < shortest_rest;
  rest = waited_on ? std::min(2 * rest, longest_rest) : shortest_rest;
  std::this_thread::sleep_for(rest);
  rested = Clock::now();
}

bool ends_rounds() {
  static thread_local unsigned waited = 0;
  return ++waited % rounds == 0;
}

void on_kernel_pause(unsigned vcpu, void*) {
  if (!ends_rounds()) return;
  if (plugin->timekeeper == nullptr) return give_way();
  plugin->timekeeper->vcpu(vcpu).core().wait_in_kernel(give_way);
}

void on_user_pause(unsigned vcpu, void*) {
  if (plugin->timekeeper != nullptr) {
    Core& core = plugin->timekeeper->vcpu(vcpu).core();
    if (core.is_charged()) return core.pause();
  }
  if (ends_rounds()) give_way();
}

}  // namespace

void watch_pause(qemu_plugin_insn* insn, bool kernel) {
  qemu_plugin_register_vcpu_insn_exec_cb(insn, kernel ? on_kernel_pause : on_user_pause,
                                         QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

}  // namespace homenode::lab
