#include "workloads/seismic/time_block.h"

#include <algorithm>

namespace homenode::workloads::seismic {

Rows Tiles::at(std::ptrdiff_t tile, std::ptrdiff_t position, std::ptrdiff_t half) const {
  const std::ptrdiff_t behind = reach * half;
  const std::ptrdiff_t plane = position - behind;
  if (plane < 0 || plane >= nz) return {};
  const std::ptrdiff_t first = tile * rows - behind;
  return {plane, std::clamp<std::ptrdiff_t>(first, 0, ny),
          std::clamp<std::ptrdiff_t>(first + rows, 0, ny)};
}

}  // namespace homenode::workloads::seismic
