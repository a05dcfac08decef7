#include <chrono>
#include <thread>

#include "lab/plugin/plugin.h"
#include "lab/plugin/watch.h"

namespace homenode::lab {
namespace {

// Rounds of a loop before the host's CPU is given to others, and for how long.
constexpr unsigned rounds = 4;
constexpr std::chrono::microseconds rest(20);

void give_way() {
  std::this_thread::sleep_for(rest);
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
