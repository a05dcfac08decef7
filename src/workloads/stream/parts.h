// The stream probe: which part of the arrays each thread works on, with teams of threads that have
// a set of data each (after ForestGOMP's nested, twisted and imbalanced STREAM). Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace homenode::workloads::stream {

enum class TeamShape {
  nested,      ///< Every team works on its own set.
  twisted,     ///< On its own in the first half of the passes, on the next team's in the second.
  imbalanced,  ///< On its own, and the sets are 1 : 2 : 3 ... in size.
};

/// In elements.
struct Part {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

struct TeamCut {
  std::size_t elements = 0;  ///< Of each array.
  std::size_t block = 1;     ///< Parts begin and end at multiples of it.
  unsigned threads = 1;
  unsigned teams = 1;
  TeamShape shape = TeamShape::nested;
};

/// part[stage][thread]; two stages with `twisted`, else one. In each stage every element is in one
/// part. pre: block divides elements; 0 < teams <= threads.
std::vector<std::vector<Part>> parts_of(const TeamCut& cut);

}  // namespace homenode::workloads::stream
