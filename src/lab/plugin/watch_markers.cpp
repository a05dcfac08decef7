#include "lab/plugin/watch.h"

#include <mutex>
#include <optional>

#include "base/marker.h"
#include "lab/plugin/instruction.h"
#include "lab/plugin/plugin.h"
#include "lab/plugin/registers.h"
#include "lab/plugin/sample_blocks.h"
#include "lab/plugin/timeline_json.h"

namespace homenode::lab {
namespace {

// cr3 without its flags: the PCID below, the "keep translations" bit above.
constexpr std::uint64_t root_table_mask = 0x000ffffffffff000;
constexpr std::uint64_t low_half = 0xffffffff;
constexpr std::uint64_t msr_fs_base = 0xc0000100;

/// What the clocks counted goes into the accounts.
void collect_counts() {
  for (unsigned i = 0; i < plugin->vcpus.size(); ++i) {
    const Core& core = plugin->timekeeper->vcpu(i).core();
    plugin->vcpus[i].set_references(core.counts().references, core.outside());
  }
}

Result<void> write_samples(unsigned number, const Region& region, const ThreadNumbers& numbers) {
  auto done = plugin->samples->append(threads_block(number, region, plugin->vcpus, numbers));
  for (std::size_t i = 0; done && i < plugin->vcpus.size(); ++i) {
    SampleBlocks blocks(number, static_cast<std::uint16_t>(i), plugin->vcpus[i], numbers,
                        plugin->nodes.nodes());
    for (std::string block; done && !(block = blocks.next()).empty();) {
      done = plugin->samples->append(block);
    }
  }
  return done;
}

/// pre: the mutex is held and a region is closing; no vCPU runs (or the process exits).
void write_counts(const Region& region, bool ended_by_marker) {
  if (plugin->timekeeper) collect_counts();
  RegionSummary summary;
  summary.number = ++plugin->finished;
  summary.scope = region.scope;
  summary.ended_by_marker = ended_by_marker;
  summary.provisional = region.provisional;
  summary.registers = plugin->registers;
  summary.cache = plugin->cache;
  summary.nodes = plugin->nodes.nodes();
  const Timekeeper* const time = plugin->timekeeper.get();
  const ThreadNumbers numbers = number_threads(plugin->vcpus, time);
  const auto written =
      plugin->out.append(counts_line(summary, plugin->vcpus, plugin->ranks, numbers, time));
  if (!written) complain(written.error());
  if (plugin->samples) {
    const auto sampled = write_samples(summary.number, region, numbers);
    if (!sampled) complain(sampled.error());
  }
  if (!plugin->timeline) return;
  const auto drawn = plugin->timeline->append(timeline_line(summary.number, *time, numbers));
  if (!drawn) complain(drawn.error());
}

/// Called by QEMU when every vCPU stands still and all callbacks are gone.
void on_reset(qemu_plugin_id_t id) {
  {
    const std::lock_guard lock(plugin->mutex);
    const std::optional<Region> open = plugin->regions.open();
    const RegionChange change = plugin->regions.take_change();
    if (open && change.closes) {
      if (plugin->timekeeper) plugin->timekeeper->close();
      if (!change.drops) write_counts(*open, change.ended_by_marker);
      for (VcpuAccount& vcpu : plugin->vcpus) vcpu.close();
    }
    if (change.opens) {
      plugin->first_users.clear();
      for (VcpuAccount& vcpu : plugin->vcpus) vcpu.open(*change.opens);
      if (plugin->timekeeper) {
        plugin->timekeeper->open(
            *change.opens, [](unsigned i) { return plugin->vcpus[i].running(); },
            instruction_counter);
      }
    }
  }
  register_callbacks(id);
}

/// The vCPU runs another thread, or the thread has changed its registers.
void set_running(unsigned index, const ThreadKey& thread) {
  VcpuAccount& vcpu = plugin->vcpus[index];
  if (plugin->timekeeper) plugin->timekeeper->vcpu(index).switch_to(thread);
  if (thread.cr3 != vcpu.running().cr3) vcpu.set_cr3(thread.cr3);
  vcpu.set_fs_base(thread.fs_base);
}

/// Brings the account of what the vCPU runs up to date with its registers.
void follow_registers(unsigned index) {
  const ThreadKey found{read_register(cr3).value_or(0) & root_table_mask,
                        read_register(fs_base).value_or(0)};
  if (found != plugin->vcpus[index].running()) set_running(index, found);
}

/// The vCPU's clock, with all that is in flight; 0 outside a region and without a clock.
std::uint64_t time_on(unsigned index) {
  if (!plugin->timekeeper) return 0;
  TimedVcpu& vcpu = plugin->timekeeper->vcpu(index);
  return vcpu.in_region() ? vcpu.core().finish() : 0;
}

/// A marker other than the clock's. Returns whether a region begins or ends by it. pre: the mutex
/// is held; `now_ps` is the vCPU's time where a region may end.
bool obey_marker(std::uintptr_t kind, const VcpuAccount& vcpu, std::uint64_t now_ps) {
  const std::uint64_t process = vcpu.running().cr3;
  switch (kind) {
    case HN_MARKER_BEGIN:
      return plugin->regions.begin({plugin->registers ? Scope::process : Scope::unknown, process});
    case HN_MARKER_BEGIN_ALL:
      return plugin->regions.begin({Scope::all, process});
    case HN_MARKER_BEGIN_PROVISIONAL:
      return plugin->regions.begin({Scope::all, process, true});
    case HN_MARKER_END: {
      const bool ends = plugin->regions.end(process);
      if (ends && plugin->timekeeper) plugin->timekeeper->set_end(now_ps);
      return ends;
    }
    case HN_MARKER_END_ANY:
      return plugin->regions.end_any();
    case HN_MARKER_KERNEL:
      learn_kernel_function(read_register(rdi).value_or(HN_KERNEL_FUNCTIONS),
                            read_register(rsi).value_or(0));
      return false;
    case HN_MARKER_THREAD:
      if (plugin->registers) plugin->ranks[vcpu.running()] = read_register(rdi).value_or(0);
      return false;
    default:
      return false;
  }
}

void on_marker(unsigned index, void* operand) {
  if (plugin->registers) follow_registers(index);
  const auto kind = reinterpret_cast<std::uintptr_t>(operand);
  if (kind == HN_MARKER_CLOCK) {
    // Several threads ask at once, each for its own slot: no lock.
    if (plugin->clock) plugin->clock->set(read_register(rdi).value_or(0), time_on(index));
    return;
  }
  const std::uint64_t now_ps = kind == HN_MARKER_END ? time_on(index) : 0;
  {
    const std::lock_guard lock(plugin->mutex);
    if (!obey_marker(kind, plugin->vcpus[index], now_ps)) return;
  }
  if (plugin->timekeeper) plugin->timekeeper->release();
  qemu_plugin_reset(plugin->id, on_reset);
}

// The three that follow run before their instruction does, so they read its source.

void on_write_cr3(unsigned index, void* operand) {
  const auto source = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(operand));
  set_running(index, {read_register(source).value_or(0) & root_table_mask,
                      plugin->vcpus[index].running().fs_base});
}

template <bool wide>
void on_write_fs_base(unsigned index, void* operand) {
  const auto source = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(operand));
  const std::uint64_t value = read_register(source).value_or(0);
  set_running(index, {plugin->vcpus[index].running().cr3, wide ? value : value & low_half});
}

void on_write_msr(unsigned index, void*) {
  if ((read_register(rcx).value_or(0) & low_half) != msr_fs_base) return;
  const std::uint64_t upper = read_register(rdx).value_or(0) << 32U;
  set_running(index, {plugin->vcpus[index].running().cr3,
                      upper | (read_register(rax).value_or(0) & low_half)});
}

}  // namespace

void on_exit(qemu_plugin_id_t, void*) {
  const std::lock_guard lock(plugin->mutex);
  if (!plugin->regions.open()) return;
  if (plugin->timekeeper) plugin->timekeeper->close();
  write_counts(*plugin->regions.open(), false);
}

void watch_execution(qemu_plugin_insn* insn, std::span<const std::uint8_t> code, bool kernel) {
  const Instruction found = recognise(code);
  void* const operand = reinterpret_cast<void*>(std::uintptr_t{found.operand});
  const auto watch = [&](qemu_plugin_vcpu_udata_cb_t callback) {
    qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_R_REGS, operand);
  };
  if (found.kind == InstructionKind::marker) watch(on_marker);
  if (found.kind == InstructionKind::pause) watch_pause(insn, kernel);
  if (!plugin->registers) return;
  if (found.kind == InstructionKind::write_fs_base) watch(on_write_fs_base<true>);
  if (found.kind == InstructionKind::write_fs_base32) watch(on_write_fs_base<false>);
  // User code that tries these faults instead.
  if (kernel && found.kind == InstructionKind::write_cr3) watch(on_write_cr3);
  if (kernel && found.kind == InstructionKind::write_msr) watch(on_write_msr);
}

}  // namespace homenode::lab
