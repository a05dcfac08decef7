// The exact solution, the field in between its faces, and norms against closed forms.
#include "workloads/npb/cfd_solution.h"

#include <gtest/gtest.h>

#include <vector>

#include "cfd_field_of.h"

namespace homenode::workloads::npb {
namespace {

constexpr std::size_t cube_points = 12;

double component(const CfdField& field, std::size_t m, std::size_t i, std::size_t j,
                 std::size_t k) {
  return field.u[field.grid.row5(j, k) + m * field.grid.plane + i];
}

TEST(CfdSolution, IsTheSumOfItsCoefficientsAtTheFarCorner) {
  EXPECT_DOUBLE_EQ(exact_solution(0, 0, 0)[0], 2.0);
  EXPECT_DOUBLE_EQ(exact_solution(1, 0, 0)[0], 2.0 + 0.0 + 5.0 + 0.02 + 0.5);
  EXPECT_DOUBLE_EQ(exact_solution(0, 1, 0)[0], 2.0 + 0.0 + 3.0 + 0.01 + 0.4);
  EXPECT_DOUBLE_EQ(exact_solution(0, 0, 1)[0], 2.0 + 4.0 + 0.5 + 0.03 + 0.3);
  EXPECT_DOUBLE_EQ(exact_solution(1, 1, 1)[4],
                   5.0 + 4.0 + 3.0 + 2.0 + 0.1 + 0.4 + 0.3 + 0.05 + 0.04 + 0.03 + 0.1 + 0.3 + 0.2);
}

TEST(CfdSolution, StartsExactOnTheFacesAndAlongNoLineInside) {
  OwnField own(cube_points, 0.01);
  for (std::size_t k = 0; k < cube_points; ++k) set_initial(own.field, k);
  const auto exact = [](std::size_t i, std::size_t j, std::size_t k) {
    constexpr double last = cube_points - 1;
    return exact_solution(static_cast<double>(i) / last, static_cast<double>(j) / last,
                          static_cast<double>(k) / last);
  };
  for (std::size_t m = 0; m < 5; ++m) {
    EXPECT_DOUBLE_EQ(component(own.field, m, 0, 3, 4), exact(0, 3, 4)[m]);
    EXPECT_DOUBLE_EQ(component(own.field, m, 5, cube_points - 1, 4),
                     exact(5, cube_points - 1, 4)[m]);
    EXPECT_DOUBLE_EQ(component(own.field, m, 5, 3, cube_points - 1),
                     exact(5, 3, cube_points - 1)[m]);
    EXPECT_NE(component(own.field, m, 5, 3, 4), exact(5, 3, 4)[m]);
  }
  EXPECT_EQ(error_squares(own.field, 0, true), CfdState{});
  EXPECT_GT(error_squares(own.field, 4, true)[0], 0.0);
}

TEST(CfdSolution, FillsRowsUpWithStillAir) {
  OwnField own(cube_points, 0.01);
  set_exact(own.field, 2);
  ASSERT_GT(own.field.grid.pitch, cube_points);
  EXPECT_EQ(component(own.field, 0, cube_points, 3, 2), 1.0);
  EXPECT_EQ(component(own.field, 1, cube_points, 3, 2), 0.0);
  EXPECT_EQ(component(own.field, 4, cube_points, 3, 2), 1.0);
}

TEST(CfdSolution, NormsAreRelativeToInteriorPoints) {
  std::vector<CfdState> planes(cube_points, CfdState{1, 4, 9, 16, 25});
  const CfdState norm = norm_of(planes.data(), cube_points);
  EXPECT_DOUBLE_EQ(norm[0] * norm[0], 12.0 / 1000.0);
  EXPECT_DOUBLE_EQ(norm[4], 5.0 * norm[0]);
}

TEST(CfdSolution, SumsTheInteriorOfAPlane) {
  OwnField own(cube_points, 0.01);
  std::fill_n(own.field.rhs, own.doubles5(), 2.0);
  EXPECT_DOUBLE_EQ(residual_squares(own.field, 1)[3], 4.0 * 10.0 * 10.0);
}

}  // namespace
}  // namespace homenode::workloads::npb
