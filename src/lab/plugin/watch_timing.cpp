#include "lab/plugin/watch.h"

#include "lab/plugin/plugin.h"
#include "lab/timing/spin.h"

namespace homenode::lab {
namespace {

// A vCPU that touches no new memory for so many instructions still has to keep in step.
constexpr std::uint64_t longest_silence_instructions = 2000;
// A vCPU's counter, which each block adds to, on cache lines of the host that no other one writes.
constexpr std::size_t counter_bytes = 128;

// The vCPUs' cores, never destroyed: to an access, the way through the timekeeper is a long one.
constinit Core** cores = nullptr;

TimedVcpu& timed(unsigned vcpu) {
  return plugin->timekeeper->vcpu(vcpu);
}

class AccessInProgress final : public Translation {
 public:
  explicit AccessInProgress(qemu_plugin_meminfo_t info) : info_(info) {}

  [[nodiscard]] std::optional<std::uint64_t> physical(std::uint64_t address) const override {
    const qemu_plugin_hwaddr* const found = qemu_plugin_get_hwaddr(info_, address);
    if (found == nullptr || qemu_plugin_hwaddr_is_io(found)) return std::nullopt;
    return qemu_plugin_hwaddr_phys_addr(found);
  }
  [[nodiscard]] std::optional<unsigned> node_of(std::uint64_t physical) const override {
    const auto index = plugin->nodes.index_of(physical);
    if (!index) return std::nullopt;
    return plugin->timekeeper->position(*index);
  }
  [[nodiscard]] unsigned bytes() const override { return 1U << qemu_plugin_mem_size_shift(info_); }

 private:
  qemu_plugin_meminfo_t info_;
};

template <bool store>
void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, std::uint64_t address, void* shape) {
  cores[vcpu]->access<store>(address, AccessShape(reinterpret_cast<std::uintptr_t>(shape)),
                             AccessInProgress(info));
}

template <bool in_kernel>
void on_silence(unsigned vcpu, void*) {
  (void)timed(vcpu).core().now_ps(in_kernel);
}

void on_interrupt_entry(unsigned vcpu, void*) {
  timed(vcpu).enter_interrupt();
}

void on_interrupt_return(unsigned vcpu, void*) {
  timed(vcpu).leave_interrupt();
}

void on_system_return(unsigned vcpu, void*) {
  timed(vcpu).leave_system_call();
}

void on_mapping_change(unsigned vcpu, void*) {
  timed(vcpu).core().forget_translations();
}

void on_spin(unsigned vcpu, void*) {
  timed(vcpu).spin();
}

/// Has a block's spin point watched, if user code has one.
void watch_spin(qemu_plugin_tb* block, std::span<const Code> codes) {
  const auto at = spin_point(codes);
  if (!at) return;
  qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(block, *at), on_spin,
                                         QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

qemu_plugin_vcpu_udata_cb_t callback_of(KernelEvent event) {
  switch (event) {
    case KernelEvent::interrupt_entry:
      return on_interrupt_entry;
    case KernelEvent::interrupt_return:
      return on_interrupt_return;
    case KernelEvent::system_return:
      return on_system_return;
    case KernelEvent::mapping_change:
      return on_mapping_change;
    case KernelEvent::none:
      break;
  }
  return nullptr;
}

}  // namespace

bool timing_offered(int interface_version) {
  return interface_version >= 3 && qemu_plugin_scoreboard_new != nullptr &&
         qemu_plugin_scoreboard_find != nullptr &&
         qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu != nullptr &&
         qemu_plugin_register_vcpu_tb_exec_cond_cb != nullptr;
}

void prepare_timing() {
  cores = new Core*[plugin->vcpus.size()];
  for (unsigned i = 0; i < plugin->vcpus.size(); ++i) cores[i] = &timed(i).core();
  plugin->instructions = {qemu_plugin_scoreboard_new(counter_bytes), 0};
}

std::uint64_t* instruction_counter(unsigned vcpu) {
  return static_cast<std::uint64_t*>(qemu_plugin_scoreboard_find(plugin->instructions.score, vcpu));
}

void on_halt(qemu_plugin_id_t /*id*/, unsigned vcpu) {
  timed(vcpu).halt();
}

void time_block(qemu_plugin_tb* block, std::span<const Code> codes, bool kernel) {
  qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(block, QEMU_PLUGIN_INLINE_ADD_U64,
                                                    plugin->instructions, codes.size());
  qemu_plugin_register_vcpu_tb_exec_cond_cb(
      block, kernel ? on_silence<true> : on_silence<false>, QEMU_PLUGIN_CB_NO_REGS,
      QEMU_PLUGIN_COND_GE, plugin->instructions, longest_silence_instructions, nullptr);
  if (!kernel) watch_spin(block, codes);
  const std::vector<Decoded> decoded = decode_block(codes, kernel);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(block, i);
    if (kernel && plugin->registers) watch_kernel_functions(insn);
    void* const shape = reinterpret_cast<void*>(decoded[i].shape.bits());
    qemu_plugin_register_vcpu_mem_cb(insn, on_access<false>, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_R, shape);
    qemu_plugin_register_vcpu_mem_cb(insn, on_access<true>, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_W, shape);
    const qemu_plugin_vcpu_udata_cb_t callback = callback_of(decoded[i].event);
    if (callback == nullptr) continue;
    qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS, nullptr);
  }
}

}  // namespace homenode::lab
