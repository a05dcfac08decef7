#include "workloads/seismic/layout.h"

#include <algorithm>
#include <array>

namespace homenode::workloads::seismic {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::array<const char*, array_count> names = {"vx",    "vy",    "vz",      "sxx", "syy",
                                                        "szz",   "sxy",   "sxz",     "syz", "psi_x",
                                                        "psi_y", "psi_z", "material"};

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Layout layout_of(const Scene& scene) {
  const auto [nx, ny, nz] = scene.cells;
  Layout layout;
  layout.element_bytes = scene.single_precision ? sizeof(float) : sizeof(double);
  const std::size_t line = cache_line / layout.element_bytes;
  layout.row = round_up(nx + 2, line);
  // Rows whose distance is a large power of two would meet in the same sets of a cache.
  if (layout.row % (8 * line) == 0) layout.row += line;
  layout.plane = (ny + 2) * layout.row;
  layout.planes = nz + 2 * planes_of_zeros;
  layout.skew = line * 5;  // Fields likewise.
  const std::size_t width = scene.absorbing_cells;
  layout.psi_plane[0] = 12 * ny * width;
  layout.psi_plane[1] = 12 * width * layout.row;
  layout.psi_plane[2] = 6 * ny * layout.row;
  layout.psi_planes[0] = layout.psi_planes[1] = width > 0 ? nz : 0;
  layout.psi_planes[2] = width * (scene.free_surface ? 1 : 2);
  return layout;
}

std::vector<ArrayNeed> arrays_of(const Scene& scene) {
  const Layout layout = layout_of(scene);
  std::vector<ArrayNeed> needs;
  for (std::size_t c = 0; c < component_count; ++c) {
    const std::size_t elements = layout.planes * layout.plane + c * layout.skew;
    needs.push_back({names[c], elements * layout.element_bytes, Sharing::parts});
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t elements = layout.psi_planes[axis] * layout.psi_plane[axis];
    needs.push_back({names[component_count + axis],
                     std::max<std::size_t>(elements * layout.element_bytes, cache_line),
                     axis < 2 ? Sharing::parts : Sharing::all});
  }
  const std::size_t factors =
      scene.single_precision ? sizeof(PlaneFactors<float>) : sizeof(PlaneFactors<double>);
  needs.push_back({names.back(), scene.cells[2] * factors, Sharing::all});
  return needs;
}

Slab slab_of(const Layout& layout, unsigned rank, unsigned threads) {
  return {layout.planes * rank / threads, layout.planes * (rank + 1) / threads};
}

std::size_t rows_together(const Layout& layout, std::size_t cache_bytes) {
  // Three fields are read in four planes and the others in one; some are read in more rows.
  const std::size_t streams = 24;
  return std::max<std::size_t>(cache_bytes / (streams * layout.row * layout.element_bytes), 4);
}

}  // namespace homenode::workloads::seismic
