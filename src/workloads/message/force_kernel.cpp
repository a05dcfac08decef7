#include "workloads/message/force_kernel.h"

namespace homenode::workloads::message::HN_ISA {
namespace {

/// One particle and what the others do to it.
struct One {
  double x = 0.0;
  double y = 0.0;
  double fx = 0.0;
  double fy = 0.0;
  double potential = 0.0;
};

/// One particle against those [first, count) of a side, whose forces are added to.
template <bool published>
inline void against(One& one, const ForceSide& others, std::size_t first, const ForceLaw& law) {
  double fx = 0.0;
  double fy = 0.0;
  double potential = 0.0;
  double* const their_fx = others.fx;
  double* const their_fy = others.fy;
#pragma omp simd reduction(+ : fx, fy, potential)
  for (std::size_t j = first; j < others.count; ++j) {
    const double dx = one.x - others.x[j];
    const double dy = one.y - others.y[j];
    const double square = dx * dx + dy * dy;
    const double inverse = 1.0 / square;
    const double inverse6 = inverse * inverse * inverse;
    const double size = inverse6 * (law.repulsion * inverse6 - law.attraction);
    const double scale = published ? size * __builtin_sqrt(inverse) : size * inverse;
    const double factor = square < 1.0 ? scale : 0.0;
    fx += factor * dx;
    fy += factor * dy;
    their_fx[j] -= factor * dx;
    their_fy[j] -= factor * dy;
    if (!published) {
      const double energy =
          inverse6 * (law.repulsion / 12 * inverse6 - law.attraction / 6) - law.offset;
      potential += square < 1.0 ? energy : 0.0;
    }
  }
  one.fx += fx;
  one.fy += fy;
  one.potential += potential;
}

inline void clear(const ForceSide& side) {
  for (std::size_t i = 0; i < side.count; ++i) {
    side.fx[i] = 0.0;
    side.fy[i] = 0.0;
  }
}

template <bool published>
double pairs(const ForceSide& a, const ForceSide& b, const ForceLaw& law, bool self) {
  double potential = 0.0;
  for (std::size_t i = 0; i < a.count; ++i) {
    One one{a.x[i], a.y[i]};
    against<published>(one, b, self ? i + 1 : 0, law);
    a.fx[i] += one.fx;
    a.fy[i] += one.fy;
    potential += one.potential;
  }
  return potential;
}

double between(const ForceSide& a, const ForceSide& b, const ForceLaw& law) {
  clear(a);
  clear(b);
  return law.published ? pairs<true>(a, b, law, false) : pairs<false>(a, b, law, false);
}

double within(const ForceSide& a, const ForceLaw& law) {
  clear(a);
  return law.published ? pairs<true>(a, a, law, true) : pairs<false>(a, a, law, true);
}

}  // namespace

const ForceKernel force_kernel{between, within};

}  // namespace homenode::workloads::message::HN_ISA
