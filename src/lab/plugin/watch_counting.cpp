#include "lab/plugin/watch.h"

#include "lab/plugin/plugin.h"

namespace homenode::lab {
namespace {

/// What VcpuAccount::count() may ask about the access at hand.
struct AccessInProgress {
  qemu_plugin_meminfo_t info;

  [[nodiscard]] unsigned bytes() const { return 1U << qemu_plugin_mem_size_shift(info); }
  [[nodiscard]] std::optional<MemoryPlace> place_of(std::uint64_t address) const {
    const qemu_plugin_hwaddr* const physical = qemu_plugin_get_hwaddr(info, address);
    if (physical == nullptr) return std::nullopt;
    // QEMU 7.2 says "device" too when it has lost the translation; its address would be garbage.
    // Later versions need not be asked: no device has an address of a node.
    if (plugin->interface_version < 2 && qemu_plugin_hwaddr_is_io(physical)) return std::nullopt;
    const std::uint64_t found = qemu_plugin_hwaddr_phys_addr(physical);
    const auto node = plugin->nodes.index_of(found);
    if (!node) return std::nullopt;
    return MemoryPlace{*node, plugin->nodes.guest_physical(found)};
  }
};

template <Privilege privilege, bool store>
void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, std::uint64_t address, void* vcpus) {
  static_cast<VcpuAccount*>(vcpus)[vcpu].count<privilege>(address, store, AccessInProgress{info});
}

template <Privilege privilege>
void on_load_or_store(unsigned vcpu, qemu_plugin_meminfo_t info, std::uint64_t address,
                      void* vcpus) {
  static_cast<VcpuAccount*>(vcpus)[vcpu].count<privilege>(address, qemu_plugin_mem_is_store(info),
                                                          AccessInProgress{info});
}

template <Privilege privilege>
void watch_memory(qemu_plugin_insn* insn) {
  constexpr auto flags = QEMU_PLUGIN_CB_NO_REGS;
  VcpuAccount* const vcpus = plugin->vcpus.data();
  if (plugin->interface_version < 2) {
    // QEMU 7.2 stops at the first callback of an instruction that wants the other direction.
    qemu_plugin_register_vcpu_mem_cb(insn, on_load_or_store<privilege>, flags, QEMU_PLUGIN_MEM_RW,
                                     vcpus);
    return;
  }
  qemu_plugin_register_vcpu_mem_cb(insn, on_access<privilege, false>, flags, QEMU_PLUGIN_MEM_R,
                                   vcpus);
  qemu_plugin_register_vcpu_mem_cb(insn, on_access<privilege, true>, flags, QEMU_PLUGIN_MEM_W,
                                   vcpus);
}

}  // namespace

void count_accesses(qemu_plugin_insn* insn, bool kernel) {
  if (kernel) {
    watch_memory<Privilege::kernel>(insn);
  } else {
    watch_memory<Privilege::user>(insn);
  }
}

}  // namespace homenode::lab
