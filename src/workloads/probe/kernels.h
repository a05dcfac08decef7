// The probes that measure a memory: what each kernel moves, and the kernels for the CPU at hand.
// Nothing here allocates, places, times or prints; the room `measure` does.
#pragma once

#include <array>
#include <cstddef>
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

}  // namespace homenode::workloads::probe
