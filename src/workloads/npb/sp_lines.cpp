#include "workloads/npb/cfd_kernels.h"

#include "workloads/npb/cfd_vector.h"
#include "workloads/npb/sp_systems.h"

namespace homenode::workloads::npb::HN_ISA {
namespace {

constexpr double root_half = 0.70710678118654752440;

void enter(const CfdField& field, std::size_t k) {
  const CfdGrid& g = field.grid;
  for (std::size_t j = 1; j + 1 < g.n; ++j) {
    for (std::size_t i = 0; i < g.pitch; i += cfd_lanes) {
      const std::size_t at = g.row(j, k) + i;
      double* const rhs = field.rhs + g.row5(j, k) + i;
      Vec r[5];
      for (std::size_t m = 0; m < 5; ++m) r[m] = load(rhs + m * g.plane);
      const Vec x = load(field.us + at);
      const Vec y = load(field.vs + at);
      const Vec z = load(field.ws + at);
      const Vec rho_i = load(field.rho_i + at);
      const Vec speed = load(field.speed + at);
      const Vec pressure = cfd_c2 / (speed * speed) *
                           (load(field.qs + at) * r[0] - x * r[1] - y * r[2] - z * r[3] + r[4]);
      const Vec across = root_half * rho_i * (x * r[0] - r[1]);
      const Vec sound = root_half * rho_i * speed * pressure;
      store(rhs, r[0] - pressure);
      store(rhs + g.plane, -rho_i * (z * r[0] - r[3]));
      store(rhs + 2 * g.plane, rho_i * (y * r[0] - r[2]));
      store(rhs + 3 * g.plane, sound - across);
      store(rhs + 4 * g.plane, sound + across);
    }
  }
}

void along_x(const CfdField& field, std::size_t k, double* scratch) {
  const CfdGrid& g = field.grid;
  const std::size_t line = g.pitch * cfd_lanes;
  double* const rhs = scratch + 6 * line;
  double* const velocity = rhs + 5 * line;
  double* const rho_i = velocity + line;
  double* const speed = rho_i + line;
  const SpLines lines{velocity, rho_i, speed, cfd_lanes, rhs, line, cfd_lanes};
  for (std::size_t j = 1; j + 1 < g.n; j += cfd_lanes) {
    const RowGroup rows = rows_from(j, g.n, g.pitch);
    const std::size_t plane = g.row(0, k);
    rows_to_lines(field.us + plane, rows, g.pitch, velocity);
    rows_to_lines(field.rho_i + plane, rows, g.pitch, rho_i);
    rows_to_lines(field.speed + plane, rows, g.pitch, speed);
    double* const of_plane = field.rhs + g.row5(0, k);
    for (std::size_t m = 0; m < 5; ++m) {
      rows_to_lines(of_plane + m * g.plane, rows, g.pitch, rhs + m * line);
    }
    solve(field, lines, field.constants.diffusion[0], scratch, [&](std::size_t p, const Vec* x) {
      double* const to = rhs + p * cfd_lanes;
      const Vec across = root_half * x[2];
      const Vec half = 0.5 * (x[3] + x[4]);
      store(to, -x[1]);
      store(to + line, x[0]);
      store(to + 2 * line, root_half * (x[3] - x[4]));
      store(to + 3 * line, half - across);
      store(to + 4 * line, half + across);
    });
    for (std::size_t m = 0; m < 5; ++m) {
      lines_to_rows(rhs + m * line, rows, g.pitch, of_plane + m * g.plane);
    }
  }
}

void along_y(const CfdField& field, std::size_t k, double* scratch) {
  const CfdGrid& g = field.grid;
  for (std::size_t i = 0; i < g.pitch; i += cfd_lanes) {
    const std::size_t at = g.row(0, k) + i;
    double* const rhs = field.rhs + g.row5(0, k) + i;
    const SpLines lines{field.vs + at, field.rho_i + at, field.speed + at, g.pitch,
                        rhs,           g.plane,          g.pitch};
    solve(field, lines, field.constants.diffusion[1], scratch, [&](std::size_t p, const Vec* x) {
      double* const to = rhs + p * g.pitch;
      const Vec across = root_half * x[0];
      const Vec half = 0.5 * (x[3] + x[4]);
      store(to, root_half * (x[3] - x[4]));
      store(to + g.plane, -x[2]);
      store(to + 2 * g.plane, x[1]);
      store(to + 3 * g.plane, half - across);
      store(to + 4 * g.plane, half + across);
    });
  }
}

/// Back from the variables of the last direction, for one place.
[[gnu::always_inline]] inline void leave(const CfdField& field, std::size_t at, double* u,
                                         const Vec* x) {
  const std::size_t plane = field.grid.plane;
  const Vec us = load(field.us + at);
  const Vec vs = load(field.vs + at);
  const Vec ws = load(field.ws + at);
  const Vec speed = load(field.speed + at);
  const Vec density = load(u);
  const Vec sound = root_half * density / speed * (x[3] + x[4]);
  const Vec mass = x[2] + sound;
  const Vec push = root_half * density * (x[3] - x[4]);
  store(u, density + mass);
  store(u + plane, load(u + plane) - density * x[1] + us * mass);
  store(u + 2 * plane, load(u + 2 * plane) + density * x[0] + vs * mass);
  store(u + 3 * plane, load(u + 3 * plane) + ws * mass + push);
  store(u + 4 * plane, load(u + 4 * plane) + density * (vs * x[0] - us * x[1]) +
                           load(field.qs + at) * mass + speed * speed / cfd_c2 * sound + ws * push);
}

void along_z(const CfdField& field, std::size_t j, double* scratch) {
  const CfdGrid& g = field.grid;
  for (std::size_t i = 0; i < g.pitch; i += cfd_lanes) {
    const std::size_t at = g.row(j, 0) + i;
    double* const u = field.u + g.row5(j, 0) + i;
    const SpLines lines{
        field.ws + at, field.rho_i + at, field.speed + at, g.plane, field.rhs + g.row5(j, 0) + i,
        g.plane,       5 * g.plane};
    solve(field, lines, field.constants.diffusion[2], scratch, [&](std::size_t p, const Vec* x) {
      leave(field, at + p * g.plane, u + p * 5 * g.plane, x);
    });
  }
}

}  // namespace

constinit const LinesKernel sp_lines_kernel{enter, along_x, along_y, along_z};

}  // namespace homenode::workloads::npb::HN_ISA
