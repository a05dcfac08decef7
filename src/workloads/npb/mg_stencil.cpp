#include "workloads/npb/mg_stencil.h"

#include <omp.h>

#include <cstdint>

namespace homenode::workloads::npb::HN_ISA {
namespace {

constexpr std::size_t longest_line = 1024 + 2;

/// Sums over the lines around one: those that share a face with it, and those that share an edge.
struct Around {
  alignas(64) double faces[longest_line];
  alignas(64) double edges[longest_line];
};

inline void sum_around(Cube cube, std::size_t z, std::size_t y, Around& around) {
  const double* const below = cube.line(z - 1, y);
  const double* const above = cube.line(z + 1, y);
  const double* const before = cube.line(z, y - 1);
  const double* const after = cube.line(z, y + 1);
  const double* const below_before = cube.line(z - 1, y - 1);
  const double* const below_after = cube.line(z - 1, y + 1);
  const double* const above_before = cube.line(z + 1, y - 1);
  const double* const above_after = cube.line(z + 1, y + 1);
  const std::size_t length = cube.n + 2;
#pragma omp simd
  for (std::size_t x = 0; x < length; ++x) {
    around.faces[x] = (before[x] + after[x]) + (below[x] + above[x]);
    around.edges[x] = (below_before[x] + below_after[x]) + (above_before[x] + above_after[x]);
  }
}

inline void copy_line(const double* from, double* to, std::size_t length) {
#pragma omp simd
  for (std::size_t x = 0; x < length; ++x) to[x] = from[x];
}

inline void copy_plane(Cube cube, std::size_t from, std::size_t to) {
  copy_line(cube.line(from, 0), cube.line(to, 0), (cube.n + 2) * (cube.n + 2));
}

/// The outer layer next to a plane that is finished, and beyond the first and the last plane.
/// Nobody else writes there, and nobody reads it before the barrier.
inline void wrap_plane(Cube cube, std::size_t z) {
  const std::size_t n = cube.n;
  for (std::size_t y = 1; y <= n; ++y) {
    double* const line = cube.line(z, y);
    line[0] = line[n];
    line[n + 1] = line[1];
  }
  copy_line(cube.line(z, n), cube.line(z, 0), n + 2);
  copy_line(cube.line(z, 1), cube.line(z, n + 1), n + 2);
  if (z == 1) copy_plane(cube, 1, n + 1);
  if (z == n) copy_plane(cube, n, 0);
}

/// r's plane z.
inline void residual_plane(Cube u, const double* v, Cube r, std::size_t z, Around& around) {
  // A: -8/3 of the cell, nothing of its faces, 1/6 of its edges, 1/12 of its corners.
  constexpr double of_cell = -8.0 / 3.0;
  constexpr double of_edges = 1.0 / 6.0;
  constexpr double of_corners = 1.0 / 12.0;
  for (std::size_t y = 1; y <= u.n; ++y) {
    sum_around(u, z, y, around);
    const double* const u_line = u.line(z, y);
    double* const r_line = r.line(z, y);
    const double* const v_line = v + (r_line - r.data);
#pragma omp simd
    for (std::size_t x = 1; x <= u.n; ++x) {
      const double edges = around.edges[x] + (around.faces[x - 1] + around.faces[x + 1]);
      const double corners = around.edges[x - 1] + around.edges[x + 1];
      r_line[x] = v_line[x] - of_cell * u_line[x] - of_edges * edges - of_corners * corners;
    }
  }
  wrap_plane(r, z);
}

/// u's plane z.
inline void smooth_plane(Cube r, Cube u, const double* weights, std::size_t z, Around& around) {
  const double of_cell = weights[0];
  const double of_faces = weights[1];
  const double of_edges = weights[2];
  for (std::size_t y = 1; y <= u.n; ++y) {
    sum_around(r, z, y, around);
    const double* const r_line = r.line(z, y);
    double* const u_line = u.line(z, y);
#pragma omp simd
    for (std::size_t x = 1; x <= u.n; ++x) {
      const double faces = around.faces[x] + (r_line[x - 1] + r_line[x + 1]);
      const double edges = around.edges[x] + (around.faces[x - 1] + around.faces[x + 1]);
      u_line[x] += of_cell * r_line[x] + of_faces * faces + of_edges * edges;
    }
  }
  wrap_plane(u, z);
}

struct Planes {
  std::size_t begin;
  std::size_t end;
};

/// The caller's part of the planes [begin, end).
inline Planes own_planes(std::size_t begin, std::size_t end) {
  const auto rank = static_cast<std::size_t>(omp_get_thread_num());
  const auto threads = static_cast<std::size_t>(omp_get_num_threads());
  const std::size_t count = end - begin;
  return {begin + count * rank / threads, begin + count * (rank + 1) / threads};
}

/// The residual of the first and the last of a thread's planes, beside which are others'. Those
/// between them were taken as soon as their neighbours were finished, which a cache then still had.
inline void outer_residuals(Cube u, const double* v, Cube r, Planes own, Around& around) {
  if (own.begin == own.end) return;
  const std::size_t last = own.end - 1;
  if (own.begin >= 1) residual_plane(u, v, r, own.begin, around);
  if (last <= u.n && last > own.begin) residual_plane(u, v, r, last, around);
}

}  // namespace

void clear(Cube cube) {
  const std::size_t plane = (cube.n + 2) * (cube.n + 2);
#pragma omp for schedule(static)
  for (std::size_t z = 0; z < cube.n + 2; ++z) {
    double* const data = cube.data + z * plane;
    for (std::size_t i = 0; i < plane; ++i) data[i] = 0.0;
  }
}

void take_residual(Cube u, const double* v, Cube r) {
  Around around;
#pragma omp for schedule(static)
  for (std::size_t z = 1; z <= u.n; ++z) residual_plane(u, v, r, z, around);
}

void smooth(Cube r, Cube u, const double* weights) {
  Around around;
#pragma omp for schedule(static)
  for (std::size_t z = 1; z <= u.n; ++z) smooth_plane(r, u, weights, z, around);
}

void smooth_and_take_residual(Cube u, const double* v, Cube r, const double* weights) {
  Around around;
  const Planes own = own_planes(1, u.n + 1);
  for (std::size_t z = own.begin; z < own.end; ++z) {
    smooth_plane(r, u, weights, z, around);
    if (z >= own.begin + 2) residual_plane(u, v, r, z - 1, around);
  }
#pragma omp barrier
  outer_residuals(u, v, r, own, around);
#pragma omp barrier
}

void restrict_to(Cube fine, Cube coarse) {
  Around around;
#pragma omp for schedule(static)
  for (std::size_t z = 1; z <= coarse.n; ++z) {
    for (std::size_t y = 1; y <= coarse.n; ++y) {
      sum_around(fine, 2 * z, 2 * y, around);
      const double* const centre = fine.line(2 * z, 2 * y);
      double* const target = coarse.line(z, y);
#pragma omp simd
      for (std::size_t x = 1; x <= coarse.n; ++x) {
        const std::size_t at = 2 * x;
        const double faces = around.faces[at] + (centre[at - 1] + centre[at + 1]);
        const double edges = around.edges[at] + (around.faces[at - 1] + around.faces[at + 1]);
        const double corners = around.edges[at - 1] + around.edges[at + 1];
        target[x] = 0.5 * centre[at] + 0.25 * faces + 0.125 * edges + 0.0625 * corners;
      }
    }
    wrap_plane(coarse, z);
  }
}

namespace {

/// target[2i] += weight * line[i], and target[2i + 1] += weight * (the mean of line[i], line[i +
/// 1]).
inline void add_line(const double* line, double* target, std::size_t n, double weight) {
#pragma omp simd
  for (std::size_t i = 0; i <= n; ++i) {
    target[2 * i] += weight * line[i];
    target[2 * i + 1] += 0.5 * weight * (line[i] + line[i + 1]);
  }
}

/// Sums of lines on the way from a coarse grid to a fine one.
struct Between {
  alignas(64) double across[longest_line];
  alignas(64) double up[longest_line];
  alignas(64) double both[longest_line];
};

/// Planes 2z and 2z + 1 of the fine grid.
inline void add_plane(Cube coarse, Cube fine, std::size_t z, Between& between) {
  const std::size_t n = coarse.n;
  for (std::size_t y = 0; y <= n; ++y) {
    const double* const line = coarse.line(z, y);
    const double* const after = coarse.line(z, y + 1);
    const double* const above = coarse.line(z + 1, y);
    const double* const above_after = coarse.line(z + 1, y + 1);
#pragma omp simd
    for (std::size_t x = 0; x < n + 2; ++x) {
      between.across[x] = line[x] + after[x];
      between.up[x] = line[x] + above[x];
      between.both[x] = between.across[x] + (above[x] + above_after[x]);
    }
    add_line(line, fine.line(2 * z, 2 * y), n, 1.0);
    add_line(between.across, fine.line(2 * z, 2 * y + 1), n, 0.5);
    add_line(between.up, fine.line(2 * z + 1, 2 * y), n, 0.5);
    add_line(between.both, fine.line(2 * z + 1, 2 * y + 1), n, 0.25);
  }
}

}  // namespace

void add_interpolated_and_take_residual(Cube coarse, Cube u, const double* v, Cube r) {
  Between between;
  Around around;
  const Planes own = own_planes(0, coarse.n + 1);
  for (std::size_t z = own.begin; z < own.end; ++z) {
    add_plane(coarse, u, z, between);
    if (z == own.begin) continue;
    residual_plane(u, v, r, 2 * z - 1, around);
    residual_plane(u, v, r, 2 * z, around);
  }
#pragma omp barrier
  outer_residuals(u, v, r, {2 * own.begin, 2 * own.end}, around);
#pragma omp barrier
}

double squares(Cube cube) {
  double sum = 0.0;
#pragma omp for schedule(static) nowait
  for (std::size_t z = 1; z <= cube.n; ++z) {
    for (std::size_t y = 1; y <= cube.n; ++y) {
      const double* const line = cube.line(z, y);
#pragma omp simd reduction(+ : sum)
      for (std::size_t x = 1; x <= cube.n; ++x) sum += line[x] * line[x];
    }
  }
  return sum;
}

}  // namespace homenode::workloads::npb::HN_ISA
