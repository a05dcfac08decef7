// The exact solution that BT, SP and LU approach, the field that they start from, and norms.
#pragma once

#include <array>
#include <cstddef>

#include "workloads/npb/cfd_field.h"

namespace homenode::workloads::npb {

using CfdState = std::array<double, 5>;

/// A polynomial of fourth degree in each coordinate, all from 0 to 1.
CfdState exact_solution(double x, double y, double z);

/// Sets u to the exact solution in plane k, and to still air where rows are filled up.
void set_exact(const CfdField& field, std::size_t k);

/// Sets u in plane k to what lies between the exact values on the six faces (transfinite
/// interpolation), which are themselves exact.
void set_initial(const CfdField& field, std::size_t k);

/// Sums of squares over the plane k, from the first to the last point inside the cube: of rhs.
CfdState residual_squares(const CfdField& field, std::size_t k);

/// Of the difference between u and the exact solution; `borders`: of all points of the plane.
CfdState error_squares(const CfdField& field, std::size_t k, bool borders);

/// The root of the sum over planes, in their order, relative to the number of interior points.
CfdState norm_of(const CfdState* squares_by_plane, std::size_t n);

/// LU's last check, an integral over the faces of a box inside the cube: of the pressure, by the
/// mean of each cell's corners. The box ends one point from the border, two at the far end of y and
/// the near end of z.
double surface_integral(const CfdField& field);

}  // namespace homenode::workloads::npb
