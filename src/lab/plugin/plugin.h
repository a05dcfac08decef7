// What the plugin's parts share while QEMU runs. Made at installation and never destroyed: vCPU
// threads may still call while the process exits.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/marker.h"
#include "lab/plugin/arguments.h"
#include "lab/plugin/counts.h"
#include "lab/plugin/node_map.h"
#include "lab/plugin/qemu_plugin_abi.h"
#include "lab/plugin/region_control.h"
#include "lab/plugin/vcpu_account.h"
#include "lab/timing/clock_slots.h"
#include "lab/timing/timekeeper.h"

namespace homenode::lab {

struct Plugin {
  Plugin(const Arguments& arguments, CountsFile file, int version);

  qemu_plugin_id_t id = 0;
  int interface_version;
  CountsFile out;
  CacheShape cache;
  NodeMap nodes;
  bool registers;  ///< Whether this QEMU lets the plugin read registers.
  std::vector<VcpuAccount> vcpus;
  std::unique_ptr<Timekeeper> timekeeper;  ///< Null: accesses are counted, time is not modelled.
  std::optional<ClockSlots> clock;
  std::optional<CountsFile> timeline;  ///< Where timelines go; nothing: nobody wants them.
  std::optional<CountsFile> samples;   ///< Where counts by unit go; as above.
  std::optional<UnitBudget> units_left;
  FirstUsers first_users;  ///< For the counts by unit.
  /// Where the guest's kernel has the functions that hn_kernel_function lists; 0: unknown.
  std::array<std::atomic<std::uint64_t>, HN_KERNEL_FUNCTIONS> kernel_functions{};
  qemu_plugin_u64 instructions{};  ///< Each vCPU's count for its clock, while there is one.

  std::mutex mutex;  ///< Guards what follows.
  RegionControl regions;
  Ranks ranks;
  unsigned finished = 0;
};

extern constinit Plugin* plugin;

/// Has QEMU call the plugin from now on: for translations, as a region is open or not, and its end.
void register_callbacks(qemu_plugin_id_t id);

/// Writes an error to standard error, which the lab's driver keeps.
void complain(const Error& error);

}  // namespace homenode::lab
