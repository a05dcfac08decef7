// The kernels of BT, SP and LU: what they leave in place, and that those for each instruction set
// agree. That they are right is what the official values say (npb_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cfd_field_of.h"
#include "workloads/npb/cfd_kernels.h"
#include "workloads/npb/cfd_solution.h"
#include "workloads/npb/lu_sweep.h"

namespace homenode::workloads::npb {
namespace {

constexpr std::size_t odd_points = 13;  // No multiple of any number of lanes, nor is its inside.

struct CfdKernels {
  const CfdRhsKernel& rhs;
  const LinesKernel& bt;
  const LinesKernel& sp;
  const LuSweepKernel& lu;
};

void fill_field(OwnField& own, const CfdRhsKernel& kernel, bool exact) {
  for (std::size_t k = 0; k < odd_points; ++k) {
    if (exact) {
      set_exact(own.field, k);
    } else {
      set_initial(own.field, k);
    }
    kernel.derive(own.field, k);
  }
}

void add_rhs(OwnField& own, const CfdRhsKernel& kernel, double scale) {
  for (std::size_t k = 1; k + 1 < odd_points; ++k) kernel.rhs(own.field, k, scale);
}

TEST(CfdRhs, VanishesWhereTheForcingHoldsTheExactSolution) {
  OwnField own(odd_points, 0.01);
  const CfdRhsKernel& kernel = cfd_rhs_kernel_here();
  fill_field(own, kernel, true);
  add_rhs(own, kernel, -1.0);
  const double largest = *std::max_element(own.field.rhs, own.field.rhs + own.doubles5());
  EXPECT_GT(largest, 1.0);
  std::copy_n(own.field.rhs, own.doubles5(), own.field.forcing);
  add_rhs(own, kernel, 1.0);
  for (std::size_t i = 0; i < own.doubles5(); ++i) {
    ASSERT_LT(std::abs(own.field.rhs[i]), 1e-12 * largest) << i;
  }
}

TEST(CfdRhs, LeavesBordersZero) {
  OwnField own(odd_points, 0.01);
  fill_field(own, cfd_rhs_kernel_here(), false);
  add_rhs(own, cfd_rhs_kernel_here(), 1.0);
  const CfdGrid& g = own.field.grid;
  for (std::size_t k = 0; k < odd_points; ++k) {
    for (std::size_t j = 0; j < odd_points; ++j) {
      for (std::size_t i = 0; i < g.pitch; ++i) {
        const bool inside = k > 0 && k < odd_points - 1 && j > 0 && j < odd_points - 1 && i > 0 &&
                            i < odd_points - 1;
        ASSERT_EQ(own.field.rhs[g.row5(j, k) + i] != 0.0, inside) << i << ' ' << j << ' ' << k;
      }
    }
  }
}

TEST(CfdRhs, NeedsNoStoredVelocities) {
  OwnField stored(odd_points, 0.01);
  OwnField computed(odd_points, 0.01);
  computed.field.us = nullptr;
  for (OwnField* const own : {&stored, &computed}) {
    fill_field(*own, cfd_rhs_kernel_here(), false);
    add_rhs(*own, cfd_rhs_kernel_here(), 1.0);
  }
  for (std::size_t i = 0; i < stored.doubles5(); ++i) {
    ASSERT_NEAR(stored.field.rhs[i], computed.field.rhs[i],
                1e-11 * (1.0 + std::abs(stored.field.rhs[i])));
  }
}

TEST(LuSurface, IsPressureTimesAreaInStillAir) {
  OwnField own(odd_points, 0.01);
  const CfdGrid& g = own.field.grid;
  std::fill_n(own.field.u, own.doubles5(), 0.0);
  for (std::size_t k = 0; k < odd_points; ++k) {
    std::fill_n(own.field.u + g.row5(0, k), g.plane, 1.0);
    std::fill_n(own.field.u + g.row5(0, k) + 4 * g.plane, g.plane, 2.5);  // Pressure 1.
  }
  // In steps of 1/12 the box is 10 long in x, and 9 in y and z.
  EXPECT_NEAR(surface_integral(own.field), 2.0 * (10 * 9 + 10 * 9 + 9 * 9) / 144.0, 1e-12);
}

#if defined(__x86_64__)
constexpr double step_dt = 0.01;

/// A whole step of each program, the fields one after the other.
std::vector<double> step_of_each(const CfdKernels& kernels) {
  std::vector<double> results;
  std::vector<double> scratch(sp_scratch_doubles * 16 + bt_scratch_doubles * 16);
  const auto start = [&](OwnField& own) {
    fill_field(own, kernels.rhs, false);
    add_rhs(own, kernels.rhs, step_dt);
  };
  const auto keep = [&](const OwnField& own) {
    results.insert(results.end(), own.field.u, own.field.u + own.doubles5());
  };
  OwnField bt(odd_points, step_dt);
  start(bt);
  OwnField sp(odd_points, step_dt);
  start(sp);
  for (std::size_t k = 1; k + 1 < odd_points; ++k) {
    kernels.bt.along_x(bt.field, k, scratch.data());
    kernels.bt.along_y(bt.field, k, scratch.data());
    kernels.sp.enter(sp.field, k);
    kernels.sp.along_x(sp.field, k, scratch.data());
    kernels.sp.along_y(sp.field, k, scratch.data());
  }
  for (std::size_t j = 1; j + 1 < odd_points; ++j) {
    kernels.bt.along_z(bt.field, j, scratch.data());
    kernels.sp.along_z(sp.field, j, scratch.data());
  }
  keep(bt);
  keep(sp);
  OwnField lu(odd_points, step_dt);
  start(lu);
  const std::size_t blocks = (odd_points - 2 + kernels.lu.rows - 1) / kernels.lu.rows;
  for (std::size_t k = 1; k + 1 < odd_points; ++k) {
    for (std::size_t b = 0; b < blocks; ++b) kernels.lu.lower(lu.field, k, b, scratch.data());
  }
  for (std::size_t k = odd_points - 2; k > 0; --k) {
    for (std::size_t b = blocks; b-- > 0;) kernels.lu.upper(lu.field, k, b, scratch.data());
    kernels.lu.advance(lu.field, k);
  }
  keep(lu);
  return results;
}

TEST(CfdKernels, GiveTheSameWithEachInstructionSet) {
  if (!has_avx2()) GTEST_SKIP() << "this CPU has no AVX2";
  const auto narrow = step_of_each({baseline::cfd_rhs_kernel, baseline::bt_lines_kernel,
                                    baseline::sp_lines_kernel, baseline::lu_sweep_kernel});
  const auto wide = step_of_each(
      {avx2::cfd_rhs_kernel, avx2::bt_lines_kernel, avx2::sp_lines_kernel, avx2::lu_sweep_kernel});
  ASSERT_EQ(narrow.size(), wide.size());
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    ASSERT_NEAR(narrow[i], wide[i], 1e-11 * (1.0 + std::abs(wide[i]))) << i;
  }
}
#endif

}  // namespace
}  // namespace homenode::workloads::npb
