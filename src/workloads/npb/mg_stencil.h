// The operators of MG, for mg_kernel.cpp. All threads of a team call them alike, each works on its
// planes, and all have finished when one returns. 27-point stencils have one weight for each kind
// of neighbour, so sums over the lines around a line serve three cells each.
#pragma once

#include <cstddef>

namespace homenode::workloads::npb::HN_ISA {

/// A cube of (n + 2)^3.
struct Cube {
  double* data;
  std::size_t n;

  [[nodiscard]] double* line(std::size_t z, std::size_t y) const {
    return data + (z * (n + 2) + y) * (n + 2);
  }
};

/// All zeros, the outer layer too.
void clear(Cube cube);

/// r = v - A u, and r's outer layer. v may be r.
void take_residual(Cube u, const double* v, Cube r);

/// u += S r, and u's outer layer.
void smooth(Cube r, Cube u, const double* weights);

/// Both in one sweep: u += S r, then r = v - A u, which reads u's planes while a cache has them.
void smooth_and_take_residual(Cube u, const double* v, Cube r, const double* weights);

/// The weighted mean of 27 cells around every other one, and the outer layer.
void restrict_to(Cube fine, Cube coarse);

/// u += coarse, in between by trilinear interpolation; then r = v - A u, and r's outer layer. v may
/// be r.
void add_interpolated_and_take_residual(Cube coarse, Cube u, const double* v, Cube r);

/// The thread's share of the sum of squares. No barrier.
double squares(Cube cube);

}  // namespace homenode::workloads::npb::HN_ISA
