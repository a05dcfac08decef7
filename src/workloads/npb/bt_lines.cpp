#include "workloads/npb/cfd_kernels.h"

#include "workloads/npb/bt_systems.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

void along_x(const CfdField& field, std::size_t k, double* scratch) {
  const CfdGrid& g = field.grid;
  const std::size_t line = g.pitch * cfd_lanes;
  double* const u = scratch + 25 * line;
  double* const rhs = u + 5 * line;
  double* const rho_i = rhs + 5 * line;
  double* const qs = rho_i + line;
  const BtLines lines{u, rho_i, qs, rhs, line, cfd_lanes, cfd_lanes};
  const std::size_t plane = g.row(0, k);
  const std::size_t plane5 = g.row5(0, k);
  for (std::size_t j = 1; j + 1 < g.n; j += cfd_lanes) {
    const RowGroup rows = rows_from(j, g.n, g.pitch);
    rows_to_lines(field.rho_i + plane, rows, g.pitch, rho_i);
    rows_to_lines(field.qs + plane, rows, g.pitch, qs);
    for (std::size_t m = 0; m < 5; ++m) {
      rows_to_lines(field.u + plane5 + m * g.plane, rows, g.pitch, u + m * line);
      rows_to_lines(field.rhs + plane5 + m * g.plane, rows, g.pitch, rhs + m * line);
    }
    solve_blocks<0>(field, lines, scratch, [&](std::size_t p, const Vec* x) {
      store_column(rhs + p * cfd_lanes, line, x);
    });
    for (std::size_t m = 0; m < 5; ++m) {
      lines_to_rows(rhs + m * line, rows, g.pitch, field.rhs + plane5 + m * g.plane);
    }
  }
}

void along_y(const CfdField& field, std::size_t k, double* scratch) {
  const CfdGrid& g = field.grid;
  for (std::size_t i = 0; i < g.pitch; i += cfd_lanes) {
    const std::size_t at = g.row(0, k) + i;
    const std::size_t at5 = g.row5(0, k) + i;
    double* const rhs = field.rhs + at5;
    const BtLines lines{field.u + at5, field.rho_i + at, field.qs + at, rhs,
                        g.plane,       g.pitch,          g.pitch};
    solve_blocks<1>(field, lines, scratch, [&](std::size_t p, const Vec* x) {
      store_column(rhs + p * g.pitch, g.plane, x);
    });
  }
}

void along_z(const CfdField& field, std::size_t j, double* scratch) {
  const CfdGrid& g = field.grid;
  for (std::size_t i = 0; i < g.pitch; i += cfd_lanes) {
    const std::size_t at = g.row(j, 0) + i;
    const std::size_t at5 = g.row5(j, 0) + i;
    double* const u = field.u + at5;
    const BtLines lines{u,       field.rho_i + at, field.qs + at, field.rhs + at5,
                        g.plane, 5 * g.plane,      g.plane};
    solve_blocks<2>(field, lines, scratch, [&](std::size_t p, const Vec* x) {
      double* const to = u + p * 5 * g.plane;
      for (std::size_t m = 0; m < 5; ++m) store(to + m * g.plane, load(to + m * g.plane) + x[m]);
    });
  }
}

}  // namespace

constinit const LinesKernel bt_lines_kernel{nullptr, along_x, along_y, along_z};

}  // namespace homenode::workloads::npb::HN_ISA
