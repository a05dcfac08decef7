#include "workloads/map/relayout.h"

#include <cassert>

namespace homenode::workloads::map {

void lay_out_anew(const Element* from, const Layout& before, Element* to, const Layout& after) {
  assert(before.problem.shape == after.problem.shape);
  const std::size_t elements = before.problem.elements();
  for (std::size_t element = 0; element < elements; ++element) {
    to[position(after, element)] = from[position(before, element)];
  }
}

}  // namespace homenode::workloads::map
