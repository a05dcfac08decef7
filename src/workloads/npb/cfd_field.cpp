#include "workloads/npb/cfd_field.h"

namespace homenode::workloads::npb {

std::vector<double> fourth_differences(std::size_t n, std::size_t pitch) {
  std::vector<double> weights(5 * pitch, 0.0);
  constexpr double inside[5] = {1.0, -4.0, 6.0, -4.0, 1.0};
  for (std::size_t p = 1; p + 1 < n; ++p) {
    for (std::size_t w = 0; w < 5; ++w) weights[w * pitch + p] = inside[w];
    const bool first = p == 1;
    const bool last = p == n - 2;
    if (first || last) weights[2 * pitch + p] = 5.0;
    if (first) weights[pitch + p] = 0.0;
    if (last) weights[3 * pitch + p] = 0.0;
    if (p <= 2) weights[p] = 0.0;
    if (p + 3 >= n) weights[4 * pitch + p] = 0.0;
  }
  return weights;
}

CfdGrid cfd_grid(std::size_t n) {
  const std::size_t row_lines = (n + cfd_line_doubles - 1) / cfd_line_doubles;
  const std::size_t plane_lines = (row_lines * n) | 1U;
  return {n, row_lines * cfd_line_doubles, plane_lines * cfd_line_doubles};
}

CfdConstants cfd_constants(std::size_t n, double dt) {
  const auto steps = static_cast<double>(n - 1);
  CfdConstants constants;
  constants.dt = dt;
  constants.first = steps / 2.0;
  constants.second = steps * steps;
  constants.diffusion[0] = 0.75;
  constants.diffusion[1] = 0.75;
  constants.diffusion[2] = 1.0;
  constants.dissipation = 0.25;
  constants.viscosity = 0.1;
  constants.conductivity = cfd_c1c5 * constants.viscosity;
  return constants;
}

}  // namespace homenode::workloads::npb
