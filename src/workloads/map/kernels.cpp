#include "workloads/map/kernels.h"

#include <cassert>

namespace homenode::workloads::map {
namespace {

template <class Visit>
void walk_all(const Pass& pass, Visit visit) {
  for (const Span& span : pass.spans) {
    if (pass.order == Order::sequential) {
      walk_sequential(span, visit);
    } else {
      walk_random(span, pass.seed, visit);
    }
  }
}

}  // namespace

void run_pass(const Pass& pass) {
  Element* const array = pass.array;
  const std::uint64_t value = pass.value;
  switch (pass.operation) {
    case Operation::read:
      walk_all(pass, [array](std::size_t index) { read_element(array[index]); });
      break;
    case Operation::write:
      walk_all(pass, [array, value](std::size_t index) { write_element(array[index], value); });
      break;
    case Operation::readwrite:
      walk_all(pass, [array](std::size_t index) { read_and_write_element(array[index]); });
      break;
  }
}

void initialise(Element* array, std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) write_element(array[index], 0);
}

void lay_out_anew(const Element* from, const Layout& before, Element* to, const Layout& after) {
  assert(before.problem.shape == after.problem.shape);
  const std::size_t elements = before.problem.elements();
  for (std::size_t element = 0; element < elements; ++element) {
    to[position(after, element)] = from[position(before, element)];
  }
}

}  // namespace homenode::workloads::map
