// The lab's QEMU plugin: counts, exactly, which node every memory access of a region of interest
// goes to. This file joins QEMU's callbacks to the pure parts beside it.
//
// Outside a region only a few instructions are watched (markers, changes of cr3 and fs_base), so a
// machine boots at nearly QEMU's own speed. A marker asks QEMU to reset the plugin: QEMU then drops
// all translated code while every vCPU stands still, and code translated from then on has (or no
// longer has) callbacks on its memory accesses. A marker's block ends with the marker, so the
// change is exact for the vCPU that executed it.
//
// The guest kernel must not isolate page tables (boot it with nopti), or its own accesses would run
// under another cr3 than its process's.
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/marker.h"
#include "lab/plugin/arguments.h"
#include "lab/plugin/counts.h"
#include "lab/plugin/counts_file.h"
#include "lab/plugin/instruction.h"
#include "lab/plugin/node_map.h"
#include "lab/plugin/qemu_plugin_abi.h"
#include "lab/plugin/region_control.h"
#include "lab/plugin/registers.h"
#include "lab/plugin/vcpu_account.h"

namespace homenode::lab {
namespace {

struct Plugin {
  Plugin(const Arguments& arguments, CountsFile file, int version)
      : id(0),
        interface_version(version),
        out(std::move(file)),
        cache(arguments.cache),
        nodes(arguments.ranges,
              arguments.addresses.value_or(version >= 2 ? AddressForm::guest_physical
                                                        : AddressForm::ram_block)),
        registers(registers_offered()) {
    vcpus.reserve(arguments.vcpus);
    for (unsigned i = 0; i < arguments.vcpus; ++i) {
      vcpus.emplace_back(arguments.cache, nodes.nodes().size());
    }
  }

  qemu_plugin_id_t id;
  int interface_version;
  CountsFile out;
  CacheShape cache;
  NodeMap nodes;
  bool registers;
  std::vector<VcpuAccount> vcpus;

  std::mutex mutex;  ///< Guards what follows.
  RegionControl regions;
  Ranks ranks;
  unsigned finished = 0;
};

// Made at installation and never destroyed: vCPU threads may still call while the process exits.
constinit Plugin* plugin = nullptr;

// cr3 without its flags: the PCID below, the "keep translations" bit above.
constexpr std::uint64_t root_table_mask = 0x000ffffffffff000;
constexpr std::uint64_t low_half = 0xffffffff;
constexpr std::uint64_t msr_fs_base = 0xc0000100;

void complain(const Error& error) {
  std::fprintf(stderr, "homenode-lab-plugin: %s; %s\n", error.tried.c_str(), error.next.c_str());
}

// --- Memory accesses ---------------------------------------------------------------------------

/// What VcpuAccount::count() may ask about the access at hand.
struct AccessInProgress {
  qemu_plugin_meminfo_t info;

  [[nodiscard]] unsigned bytes() const { return 1U << qemu_plugin_mem_size_shift(info); }
  [[nodiscard]] std::optional<unsigned> node_of(std::uint64_t address) const {
    const qemu_plugin_hwaddr* const physical = qemu_plugin_get_hwaddr(info, address);
    if (physical == nullptr) return std::nullopt;
    // QEMU 7.2 says "device" too when it has lost the translation; its address would be garbage.
    // Later versions need not be asked: no device has an address of a node.
    if (plugin->interface_version < 2 && qemu_plugin_hwaddr_is_io(physical)) return std::nullopt;
    return plugin->nodes.index_of(qemu_plugin_hwaddr_phys_addr(physical));
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

// --- Regions -----------------------------------------------------------------------------------

void register_callbacks(qemu_plugin_id_t id);

/// pre: the mutex is held and a region is closing; no vCPU runs (or the process exits).
void write_counts(const Region& region, bool ended_by_marker) {
  RegionSummary summary;
  summary.number = ++plugin->finished;
  summary.scope = region.scope;
  summary.ended_by_marker = ended_by_marker;
  summary.registers = plugin->registers;
  summary.cache = plugin->cache;
  summary.nodes = plugin->nodes.nodes();
  const auto written = plugin->out.append(counts_line(summary, plugin->vcpus, plugin->ranks));
  if (!written) complain(written.error());
}

/// Called by QEMU when every vCPU stands still and all callbacks are gone.
void on_reset(qemu_plugin_id_t id) {
  {
    const std::lock_guard lock(plugin->mutex);
    const std::optional<Region> open = plugin->regions.open();
    const RegionChange change = plugin->regions.take_change();
    if (open && change.closes) {
      write_counts(*open, change.ended_by_marker);
      for (VcpuAccount& vcpu : plugin->vcpus) vcpu.close();
    }
    if (change.opens) {
      for (VcpuAccount& vcpu : plugin->vcpus) vcpu.open(*change.opens);
    }
  }
  register_callbacks(id);
}

void on_exit(qemu_plugin_id_t, void*) {
  const std::lock_guard lock(plugin->mutex);
  if (plugin->regions.open()) write_counts(*plugin->regions.open(), false);
}

// --- Instructions ------------------------------------------------------------------------------

/// Brings the account of what the vCPU runs up to date with its registers.
void follow_registers(VcpuAccount& vcpu) {
  vcpu.set_cr3(read_register(cr3).value_or(0) & root_table_mask);
  vcpu.set_fs_base(read_register(fs_base).value_or(0));
}

void on_marker(unsigned index, void* operand) {
  VcpuAccount& vcpu = plugin->vcpus[index];
  if (plugin->registers) follow_registers(vcpu);
  const std::uint64_t process = vcpu.running().cr3;
  bool change = false;
  {
    const std::lock_guard lock(plugin->mutex);
    switch (reinterpret_cast<std::uintptr_t>(operand)) {
      case HN_MARKER_BEGIN:
        change =
            plugin->regions.begin({plugin->registers ? Scope::process : Scope::unknown, process});
        break;
      case HN_MARKER_BEGIN_ALL:
        change = plugin->regions.begin({Scope::all, process});
        break;
      case HN_MARKER_END:
        change = plugin->regions.end(process);
        break;
      case HN_MARKER_THREAD:
        if (plugin->registers) plugin->ranks[vcpu.running()] = read_register(rdi).value_or(0);
        break;
      default:
        break;
    }
  }
  if (change) qemu_plugin_reset(plugin->id, on_reset);
}

// The three that follow run before their instruction does, so they read its source.

void on_write_cr3(unsigned index, void* operand) {
  const auto source = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(operand));
  plugin->vcpus[index].set_cr3(read_register(source).value_or(0) & root_table_mask);
}

template <bool wide>
void on_write_fs_base(unsigned index, void* operand) {
  const auto source = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(operand));
  const std::uint64_t value = read_register(source).value_or(0);
  plugin->vcpus[index].set_fs_base(wide ? value : value & low_half);
}

void on_write_msr(unsigned index, void*) {
  if ((read_register(rcx).value_or(0) & low_half) != msr_fs_base) return;
  const std::uint64_t upper = read_register(rdx).value_or(0) << 32U;
  plugin->vcpus[index].set_fs_base(upper | (read_register(rax).value_or(0) & low_half));
}

/// Copies an instruction's code; its length, or 0 when it is longer than any that matters.
std::size_t copy_code(const qemu_plugin_insn* insn,
                      std::array<std::uint8_t, longest_known_instruction>& code) {
  const std::size_t size = qemu_plugin_insn_size(insn);
  if (size > code.size()) return 0;
  if (plugin->interface_version >= 3) return qemu_plugin_insn_data(insn, code.data(), size);
  // Before version 3 the same function took the instruction alone and returned a pointer.
  using OldForm = const void* (*)(const qemu_plugin_insn*);
  void* const function = reinterpret_cast<void*>(&qemu_plugin_insn_data);
  std::memcpy(code.data(), reinterpret_cast<OldForm>(function)(insn), size);
  return size;
}

void watch_execution(qemu_plugin_insn* insn, std::span<const std::uint8_t> code, bool kernel) {
  const Instruction found = recognise(code);
  void* const operand = reinterpret_cast<void*>(std::uintptr_t{found.operand});
  const auto watch = [&](qemu_plugin_vcpu_udata_cb_t callback) {
    qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_R_REGS, operand);
  };
  if (found.kind == InstructionKind::marker) watch(on_marker);
  if (!plugin->registers) return;
  if (found.kind == InstructionKind::write_fs_base) watch(on_write_fs_base<true>);
  if (found.kind == InstructionKind::write_fs_base32) watch(on_write_fs_base<false>);
  // User code that tries these faults instead.
  if (kernel && found.kind == InstructionKind::write_cr3) watch(on_write_cr3);
  if (kernel && found.kind == InstructionKind::write_msr) watch(on_write_msr);
}

/// QEMU 7.2 lends an instruction's callbacks to the helpers that it calls, and forgets to withdraw
/// them after the last instruction of a block: after the next reset, which frees them, it would
/// crash. So last instructions go uncounted there: the stack accesses of calls and returns, and
/// the last instruction before a page of code ends. Repeated string instructions end a block too,
/// but call no helper unless the page ends with them.
bool can_watch_last(const qemu_plugin_insn* insn, std::span<const std::uint8_t> code) {
  const std::uint64_t start = qemu_plugin_insn_vaddr(insn);
  const bool page_ends = (start ^ (start + code.size())) >= 4096;
  return plugin->interface_version >= 2 || (is_repeated_string(code) && !page_ends);
}

template <bool counting>
void on_translation(qemu_plugin_id_t, qemu_plugin_tb* block) {
  const std::size_t count = qemu_plugin_tb_n_insns(block);
  for (std::size_t i = 0; i < count; ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(block, i);
    // Linux keeps the upper half of every address space for itself.
    const bool kernel = (qemu_plugin_insn_vaddr(insn) >> 63U) != 0;
    std::array<std::uint8_t, longest_known_instruction> buffer;
    const std::span<const std::uint8_t> code(buffer.data(), copy_code(insn, buffer));
    watch_execution(insn, code, kernel);
    if (!counting || (i + 1 == count && !can_watch_last(insn, code))) continue;
    if (kernel) {
      watch_memory<Privilege::kernel>(insn);
    } else {
      watch_memory<Privilege::user>(insn);
    }
  }
}

// --- Installation ------------------------------------------------------------------------------

void register_callbacks(qemu_plugin_id_t id) {
  const bool counting = plugin->regions.open().has_value();
  qemu_plugin_register_vcpu_tb_trans_cb(id,
                                        counting ? on_translation<true> : on_translation<false>);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
}

void on_vcpu_start(qemu_plugin_id_t, unsigned) {
  static std::once_flag once;
  std::call_once(once, [] {
    plugin->registers = learn_registers();
    if (plugin->registers) return;
    complain({ErrorCode::not_supported, 0, "QEMU lists no register cr3 or fs_base",
              "regions count every process; use a QEMU version that the lab is tested with"});
  });
}

Unexpected unfit(std::string why) {
  return Unexpected(
      Error{ErrorCode::not_supported, 0, std::move(why), "start QEMU through the lab's driver"});
}

Result<void> install(qemu_plugin_id_t id, const qemu_info_t& info,
                     std::span<const std::string_view> words) {
  const auto arguments = parse_arguments(words);
  if (!arguments) return arguments.as_unexpected();
  if (!info.system_emulation || std::string_view(info.target_name) != "x86_64") {
    return unfit("this plugin counts only in qemu-system-x86_64");
  }
  const auto vcpus = static_cast<int>(arguments->vcpus);
  if (vcpus != info.system.max_vcpus) {
    return unfit("vcpus=" + std::to_string(vcpus) + ", but this QEMU has up to " +
                 std::to_string(info.system.max_vcpus));
  }
  auto file = CountsFile::open(arguments->out);
  if (!file) return file.as_unexpected();

  plugin = new Plugin(*arguments, *std::move(file), info.version.cur);
  plugin->id = id;
  if (plugin->registers) qemu_plugin_register_vcpu_init_cb(id, on_vcpu_start);
  register_callbacks(id);
  return {};
}

/// QEMU checks this before it calls anything: the version of this very QEMU, told by its symbols.
int offered_version() {
  if (qemu_plugin_write_register != nullptr) return 5;
  if (qemu_plugin_read_memory_vaddr != nullptr) return 4;
  if (qemu_plugin_register_vcpu_insn_exec_cond_cb != nullptr) return 3;
  return qemu_plugin_num_vcpus != nullptr ? 2 : 1;
}

}  // namespace
}  // namespace homenode::lab

int qemu_plugin_version = homenode::lab::offered_version();

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  const auto installed = homenode::lab::install(id, *info, words);
  if (installed) return 0;
  homenode::lab::complain(installed.error());
  return 1;
}
