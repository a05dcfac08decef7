#include "workloads/map/kernels.h"

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

}  // namespace homenode::workloads::map
