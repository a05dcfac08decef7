// What the lab's driver tells the plugin on QEMU's command line: where the counts go, which
// physical addresses are which node, and the private cache to model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace homenode::lab {

/// A run of guest-physical addresses that lies on one node. A node may have several.
struct NodeRange {
  NodeId node;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

/// The private cache modelled for each vCPU. bytes = 0: no cache, every access is counted.
struct CacheShape {
  std::uint64_t bytes = 0;
  unsigned ways = 0;
  unsigned line_bytes = 64;
};

/// What QEMU calls a physical address in a plugin.
enum class AddressForm {
  guest_physical,  ///< The guest-physical address (QEMU 8.2 and later).
  ram_block,       ///< The RAM block's start counted twice, plus the offset in it (QEMU 7.2).
};

struct Arguments {
  std::string out;
  std::vector<NodeRange> ranges;
  unsigned vcpus = 0;
  CacheShape cache;
  std::optional<AddressForm> addresses;  ///< Absent: by the version of QEMU's interface.
  std::string timing;    ///< The timing file; empty: accesses are counted, time is not modelled.
  std::string clock;     ///< The file of clock slots; empty: none.
  std::string timeline;  ///< Where what each thread did when goes; empty: nowhere.
  std::string samples;   ///< Where counts by unit of memory go; empty: nowhere.
  std::uint64_t unit_bytes = 4096;  ///< A power of two.
};

/// Reads QEMU's "key=value" strings: out=PATH, ranges=N:BASE:SIZE[+N:BASE:SIZE...], vcpus=N,
/// cache=SIZE:WAYS:LINE or 0; and, if wanted, addresses=guest-physical or ram-block, timing=PATH,
/// clock=PATH, timeline=PATH, samples=PATH and, with it, unit=BYTES.
/// Errors: bad_usage for an unknown or missing key, a bad number, overlapping ranges, or a cache
/// that is no whole number of sets.
[[nodiscard]] Result<Arguments> parse_arguments(std::span<const std::string_view> words);

}  // namespace homenode::lab
