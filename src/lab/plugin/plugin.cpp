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
#include "lab/plugin/plugin.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lab/plugin/instruction.h"
#include "lab/plugin/registers.h"
#include "lab/plugin/watch.h"

namespace homenode::lab {

constinit Plugin* plugin = nullptr;

Plugin::Plugin(const Arguments& arguments, CountsFile file, int version)
    : interface_version(version),
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

void complain(const Error& error) {
  std::fprintf(stderr, "homenode-lab-plugin: %s; %s\n", error.tried.c_str(), error.next.c_str());
}

namespace {

/// Copies an instruction's code; its length, or 0 when QEMU says that it is longer than x86-64 has.
std::size_t copy_code(const qemu_plugin_insn* insn, std::span<std::uint8_t> code) {
  const std::size_t size = qemu_plugin_insn_size(insn);
  if (size > code.size()) return 0;
  if (plugin->interface_version >= 3) return qemu_plugin_insn_data(insn, code.data(), size);
  // Before version 3 the same function took the instruction alone and returned a pointer.
  using OldForm = const void* (*)(const qemu_plugin_insn*);
  void* const function = reinterpret_cast<void*>(&qemu_plugin_insn_data);
  std::memcpy(code.data(), reinterpret_cast<OldForm>(function)(insn), size);
  return size;
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

// The longest instruction that x86-64 has.
constexpr std::size_t max_instruction = 15;

/// Has the accesses of a block counted or timed.
void watch_accesses(qemu_plugin_tb* block, std::span<const Code> codes, bool kernel) {
  if (plugin->timekeeper) {
    time_block(block, codes, kernel);
    return;
  }
  for (std::size_t i = 0; i < codes.size(); ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(block, i);
    if (i + 1 == codes.size() && !can_watch_last(insn, codes[i])) continue;
    count_accesses(insn, kernel);
  }
}

template <bool counting>
void on_translation(qemu_plugin_id_t, qemu_plugin_tb* block) {
  const std::size_t count = qemu_plugin_tb_n_insns(block);
  if (count == 0) return;
  // Linux keeps the upper half of every address space for itself.
  const bool kernel = (qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)) >> 63U) != 0;
  std::vector<std::array<std::uint8_t, max_instruction>> buffers(count);
  std::vector<Code> codes;
  for (std::size_t i = 0; i < count; ++i) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(block, i);
    codes.emplace_back(buffers[i].data(), copy_code(insn, buffers[i]));
    watch_execution(insn, codes.back(), kernel);
  }
  if (counting) watch_accesses(block, codes, kernel);
}

}  // namespace

void register_callbacks(qemu_plugin_id_t id) {
  const bool counting = plugin->regions.open().has_value();
  qemu_plugin_register_vcpu_tb_trans_cb(id,
                                        counting ? on_translation<true> : on_translation<false>);
  if (counting && plugin->timekeeper) qemu_plugin_register_vcpu_idle_cb(id, on_halt);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
}

namespace {

void on_vcpu_start(qemu_plugin_id_t, unsigned index) {
  if (plugin->timekeeper) plugin->timekeeper->pace().runs_here(index);
  static std::once_flag once;
  std::call_once(once, [] {
    plugin->registers = learn_registers();
    if (plugin->registers) return;
    complain({ErrorCode::not_supported, 0, "QEMU lists no register cr3 or fs_base",
              "regions count every process; use a QEMU version that the lab is tested with"});
  });
}

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return failed("cannot read " + path, "start the lab through its driver", errno);
  return text.str();
}

Unexpected unfit(std::string why) {
  return Unexpected(
      Error{ErrorCode::not_supported, 0, std::move(why), "start QEMU through the lab's driver"});
}

/// What Core::on_miss() calls: a miss goes into the vCPU's account.
void on_private_miss(void* account, const Core::PrivateMiss& miss) {
  const std::uint64_t line_bytes = plugin->timekeeper->model().line_bytes;
  static_cast<VcpuAccount*>(account)->add_miss(
      miss.shape.is_by_kernel() ? Privilege::kernel : Privilege::user,
      {miss.address, miss.line * line_bytes + miss.address % line_bytes,
       plugin->timekeeper->map_index(miss.node), miss.store, miss.prefetched, miss.from_cache});
}

Result<void> start_clocks(const Arguments& arguments) {
  auto text = read_text(arguments.timing);
  if (!text) return text.as_unexpected();
  auto model = parse_timing(*text);
  if (!model) return model.as_unexpected();
  std::uint64_t end = 0;
  for (const NodeRange& range : arguments.ranges) end = std::max(end, range.base + range.size);
  auto made = Timekeeper::create(*std::move(model), plugin->nodes, arguments.vcpus, end);
  if (!made) return made.as_unexpected();
  if (!arguments.clock.empty()) {
    auto slots = ClockSlots::open(arguments.clock);
    if (!slots) return slots.as_unexpected();
    plugin->clock = *slots;
  }
  plugin->timekeeper = *std::move(made);
  if (!arguments.timeline.empty()) {
    auto timeline = CountsFile::open(arguments.timeline);
    if (!timeline) return timeline.as_unexpected();
    plugin->timeline = *std::move(timeline);
    plugin->timekeeper->record_timeline();
  }
  for (unsigned i = 0; i < arguments.vcpus; ++i) {
    plugin->timekeeper->vcpu(i).core().on_miss(on_private_miss, &plugin->vcpus[i]);
  }
  prepare_timing();
  return {};
}

// What the tables of all vCPUs may have together.
constexpr std::uint64_t units_bytes = std::uint64_t{192} << 20;

/// Has misses counted by unit of memory, if they are wanted.
Result<void> count_units(const Arguments& arguments) {
  if (arguments.samples.empty()) return {};
  auto file = CountsFile::open(arguments.samples);
  if (!file) return file.as_unexpected();
  plugin->samples = *std::move(file);
  plugin->units_left.emplace(units_bytes);
  const auto shift = static_cast<unsigned>(std::countr_zero(arguments.unit_bytes));
  for (VcpuAccount& vcpu : plugin->vcpus) {
    vcpu.count_units(shift, *plugin->units_left, memory_offered() ? read_tid : nullptr,
                     &plugin->first_users);
  }
  return {};
}

Result<void> install(qemu_plugin_id_t id, const qemu_info_t& info,
                     std::span<const std::string_view> words) {
  const auto arguments = parse_arguments(words);
  if (!arguments) return arguments.as_unexpected();
  if (!info.system_emulation || std::string_view(info.target_name) != "x86_64") {
    return unfit("this plugin counts only in qemu-system-x86_64");
  }
  if (!arguments->timing.empty() && !timing_offered(info.version.cur)) {
    return unfit("this QEMU has no plugin interface of version 3, which modelled time needs");
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
  if (const auto prepared = count_units(*arguments); !prepared) return prepared.as_unexpected();
  if (!arguments->timing.empty()) {
    const auto started = start_clocks(*arguments);
    if (!started) return started.as_unexpected();
  }
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
