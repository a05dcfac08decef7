// Where a member of the team walks.
#include <algorithm>
#include <cassert>

#include "measure/bandwidth.h"

namespace homenode::measure {

using workloads::probe::block_elements;
using workloads::probe::Slice;

Walk::Walk(std::vector<Array> memories, const Shape& shape)
    : arrays_(shape.arrays),
      turn_elements_(shape.turn_elements),
      now_(shape.first_memory % memories.size()) {
  assert(!memories.empty() && shape.part < shape.parts);
  for (const Array& memory : memories) {
    const std::size_t blocks = memory.elements / block_elements / shape.arrays / shape.parts;
    assert(blocks > 0);
    const std::size_t part_elements = blocks * block_elements;
    places_.push_back(
        {memory.first + shape.part * part_elements, shape.parts * part_elements, part_elements, 0});
  }
}

std::vector<Slice> Walk::next(std::size_t elements) {
  assert(elements % block_elements == 0);
  std::vector<Slice> slices;
  while (elements > 0) {
    Place& place = places_[now_];
    std::size_t count = std::min(elements, place.part_elements - place.at);
    if (turn_elements_ > 0) count = std::min(count, turn_elements_);
    // A kernel that has no source writes the first array; one that has writes it from the others.
    double* const first = place.first + place.at;
    slices.push_back({first, arrays_ > 1 ? first + place.array_elements : first,
                      first + (arrays_ - 1) * place.array_elements, count});
    place.at = (place.at + count) % place.part_elements;
    elements -= count;
    if (turn_elements_ > 0) now_ = (now_ + 1) % places_.size();
  }
  return slices;
}

std::size_t Walk::elements() const {
  std::size_t sum = 0;
  for (const Place& place : places_) sum += place.part_elements;
  return turn_elements_ > 0 ? sum : places_[now_].part_elements;
}

}  // namespace homenode::measure
