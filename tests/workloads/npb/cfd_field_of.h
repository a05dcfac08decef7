// A field of its own small grid for tests of the kernels of BT, SP and LU.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "workloads/npb/cfd_field.h"

namespace homenode::workloads::npb {

/// With all arrays, zero but for u: the exact solution or the field that programs start from.
class OwnField {
 public:
  explicit OwnField(std::size_t n, double dt) {
    field.grid = cfd_grid(n);
    field.constants = cfd_constants(n, dt);
    weights_ = fourth_differences(n, field.grid.pitch);
    field.weights = weights_.data();
    for (double** const array : {&field.u, &field.rhs, &field.forcing}) *array = add(5);
    for (double** const array :
         {&field.us, &field.vs, &field.ws, &field.qs, &field.rho_i, &field.square, &field.speed}) {
      *array = add(1);
    }
  }
  [[nodiscard]] std::size_t doubles5() const { return 5 * field.grid.n * field.grid.plane; }

  CfdField field;

 private:
  double* add(std::size_t components) {
    arrays_.emplace_back(components * field.grid.n * field.grid.plane, 0.0);
    return arrays_.back().data();
  }

  std::vector<double> weights_;
  std::vector<std::vector<double>> arrays_;
};

}  // namespace homenode::workloads::npb
