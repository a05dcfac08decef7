#include "lab/plugin/watch.h"

#include <atomic>

#include "base/marker.h"
#include "lab/plugin/plugin.h"
#include "lab/plugin/registers.h"

namespace homenode::lab {
namespace {

std::uint64_t first_argument() {
  return read_register(rdi).value_or(0);
}

void on_switch(unsigned vcpu, void*) {
  plugin->timekeeper->vcpu(vcpu).switch_task(first_argument(), read_register(rsi).value_or(0));
}

template <bool is_new>
void on_wake(unsigned vcpu, void*) {
  plugin->timekeeper->wake(vcpu, first_argument(), is_new);
}

void on_kick(unsigned vcpu, void*) {
  plugin->timekeeper->kick(vcpu, static_cast<unsigned>(first_argument()));
}

void on_call(unsigned vcpu, void*) {
  const std::uint64_t number = read_register(rsi).value_or(SystemCall::none);
  plugin->timekeeper->vcpu(vcpu).enter_system_call(number);
}

void on_futex(unsigned vcpu, void*) {
  plugin->timekeeper->vcpu(vcpu).use_futex(first_argument(), read_register(rsi).value_or(0));
}

void on_fault(unsigned vcpu, void*) {
  plugin->timekeeper->vcpu(vcpu).enter_fault();
}

constexpr std::array<qemu_plugin_vcpu_udata_cb_t, HN_KERNEL_FUNCTIONS> callbacks{
    on_switch, on_wake<false>, on_wake<true>, on_kick, on_kick, on_call, on_futex, on_fault};

}  // namespace

void learn_kernel_function(std::uint64_t function, std::uint64_t address) {
  if (function < plugin->kernel_functions.size()) plugin->kernel_functions[function] = address;
}

void watch_kernel_functions(qemu_plugin_insn* insn) {
  const std::uint64_t address = qemu_plugin_insn_vaddr(insn);
  for (std::size_t i = 0; i < callbacks.size(); ++i) {
    if (plugin->kernel_functions[i] != address) continue;
    qemu_plugin_register_vcpu_insn_exec_cb(insn, callbacks[i], QEMU_PLUGIN_CB_R_REGS, nullptr);
  }
}

}  // namespace homenode::lab
