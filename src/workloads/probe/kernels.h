// The probes that measure a memory: what each kernel moves, the forms that it has for the CPU at
// hand, and background traffic made of them at a chosen intensity, for the latency under load.
// Nothing here allocates, places, times or prints; the room `measure` does.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/probe/streams.h"

namespace homenode::workloads::probe {

/// What a kernel moves for each element of 8 bytes.
struct Traffic {
  Kernel kernel = Kernel::read;
  std::string_view name;
  std::size_t loads = 0;   ///< Elements read.
  std::size_t stores = 0;  ///< Elements written.
  bool allocates = false;  ///< Plain stores read the line first (write-allocate).
  std::string_view formula;

  /// Arrays that it walks at the same time.
  [[nodiscard]] constexpr std::size_t arrays() const { return loads + stores; }
  /// Bytes an element as STREAM counts them.
  [[nodiscard]] constexpr std::size_t counted_bytes() const { return 8 * (loads + stores); }
  /// Bytes an element that cross the memory bus, with plain stores or such that go past the caches.
  [[nodiscard]] constexpr std::size_t moved_bytes(bool past_caches = false) const {
    return counted_bytes() + (allocates && !past_caches ? 8 * stores : 0);
  }
};

/// All of them, in the order of the enumeration.
std::span<const Traffic> kernels();
const Traffic& traffic(Kernel kernel);
std::optional<Kernel> find_kernel(std::string_view name);

/// The kernels, compiled for one extension of the instruction set.
struct KernelSet {
  std::string_view name;                                ///< avx512, avx2, sse2, or generic.
  bool (*supported)() = nullptr;                        ///< By this CPU and its operating system.
  const Form* forms = nullptr;                          ///< The last has no run.
  std::array<StreamKernel, kernel_count> streams = {};  ///< The plainest form of each; null where
                                                        ///< the target has no such kernel.
};

/// Those of this build, the widest first; some may not be supported by the CPU.
std::span<const KernelSet> kernel_sets();
/// The widest that this CPU supports, or the named one: null when it is unknown or not supported.
const KernelSet* find_kernel_set(std::string_view name = {});

/// A form of a kernel, and the set that it is of.
struct Variant {
  const KernelSet* set = nullptr;
  const Form* form = nullptr;

  /// "avx512 x8", "avx2 x4, non-temporal, prefetch 1024": how many vectors a round of its loop
  /// computes, how it stores, and how many bytes ahead it prefetches.
  [[nodiscard]] std::string name() const;
};

/// All ways to compute a kernel on this CPU, or with the named set alone: the widest set's plainest
/// form first. Empty where the target has no such kernel.
std::vector<Variant> variants_of(Kernel kernel, std::string_view isa = {});

/// Which of several ways to do the same is fastest on this machine, which no flag of the CPU tells:
/// the candidate that takes least. `seconds(i)` tries the i-th once and says how long it took, in
/// any unit that is the same for all. All are tried in turn `tries_in_turn` times, the slower half
/// leaves, and so on until one is left; each counts with its least time, which noise on a shared
/// machine moves least. Of equals the first. pre: candidates > 0.
std::size_t fastest(std::size_t candidates, const std::function<double(std::size_t)>& seconds);

/// How often each is tried before a half leaves.
inline constexpr std::size_t tries_in_turn = 3;

/// From the begin of one array to that of the next, or of one part of an array, where there is room
/// for so many elements: the most that is no power of two. At such distances their lines meet in
/// the same banks of the memory and the same sets of the caches, which costs a third of the
/// bandwidth on some CPUs; so an odd number of pages, and a line. Whole blocks where there is less
/// room than that is worth.
std::size_t array_distance(std::size_t elements);

struct Injection {
  StreamKernel read = nullptr;
  const double* source = nullptr;
  std::size_t count = 0;        ///< Elements, walked round and round.
  std::size_t first = 0;        ///< Where the walk begins.
  std::size_t idle_rounds = 0;  ///< Of an empty loop, about a cycle each, after every block.
};

/// Elements that are read between two looks at `stop`: a small page.
inline constexpr std::size_t injected_elements = 512;

/// Reads until `stop`; how many elements that were.
/// pre: count and first are multiples of injected_elements, first < count.
std::uint64_t inject(const Injection& injection, const std::atomic<bool>& stop);

}  // namespace homenode::workloads::probe
