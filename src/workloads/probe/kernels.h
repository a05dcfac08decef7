// The probes that measure a memory: what each kernel moves, the kernels for the CPU at hand, and
// background traffic made of them at a chosen intensity, for the latency under load.
// Nothing here allocates, places, times or prints; the room `measure` does.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "workloads/probe/streams.h"

namespace homenode::workloads::probe {

/// In the order of the tables below.
enum class Kernel { read, write, write_nt, copy, scale, add, triad };
inline constexpr std::size_t kernel_count = 7;

/// What a kernel moves for each element of 8 bytes.
struct Traffic {
  Kernel kernel = Kernel::read;
  std::string_view name;
  std::size_t loads = 0;   ///< Elements read.
  std::size_t stores = 0;  ///< Elements written.
  bool allocates = false;  ///< The stores read the line first (write-allocate).
  std::string_view formula;

  /// Arrays that it walks at the same time.
  [[nodiscard]] constexpr std::size_t arrays() const { return loads + stores; }
  /// Bytes an element as STREAM counts them.
  [[nodiscard]] constexpr std::size_t counted_bytes() const { return 8 * (loads + stores); }
  /// Bytes an element that cross the memory bus.
  [[nodiscard]] constexpr std::size_t moved_bytes() const {
    return counted_bytes() + (allocates ? 8 * stores : 0);
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
  std::array<StreamKernel, kernel_count> streams = {};  ///< Null where the target has no such.
};

/// Those of this build, the widest first; some may not be supported by the CPU.
std::span<const KernelSet> kernel_sets();
/// The widest that this CPU supports, or the named one: null when it is unknown or not supported.
const KernelSet* find_kernel_set(std::string_view name = {});

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
