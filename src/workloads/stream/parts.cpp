#include "workloads/stream/parts.h"

namespace homenode::workloads::stream {
namespace {

/// The i-th of `count` equal parts, in blocks.
Part equal_part(Part whole, std::size_t i, std::size_t count) {
  const auto bound = [&](std::size_t n) { return whole.first + whole.count * n / count; };
  return {bound(i), bound(i + 1) - bound(i)};
}

/// The data of each team, in blocks.
std::vector<Part> sets_of(const TeamCut& cut) {
  const std::size_t blocks = cut.elements / cut.block;
  const std::size_t weights = std::size_t{cut.teams} * (cut.teams + 1) / 2;
  std::vector<Part> sets;
  for (std::size_t team = 0; team < cut.teams; ++team) {
    if (cut.shape == TeamShape::imbalanced) {
      const std::size_t first = blocks * (team * (team + 1) / 2) / weights;
      const std::size_t end = blocks * ((team + 1) * (team + 2) / 2) / weights;
      sets.push_back({first, end - first});
    } else {
      sets.push_back(equal_part({0, blocks}, team, cut.teams));
    }
  }
  return sets;
}

}  // namespace

std::vector<std::vector<Part>> parts_of(const TeamCut& cut) {
  const std::vector<Part> sets = sets_of(cut);
  const std::size_t stages = cut.shape == TeamShape::twisted ? 2 : 1;
  std::vector<std::vector<Part>> parts(stages, std::vector<Part>(cut.threads));
  for (std::size_t team = 0; team < cut.teams; ++team) {
    const std::size_t first = cut.threads * team / cut.teams;
    const std::size_t end = cut.threads * (team + 1) / cut.teams;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      const Part set = sets[(team + stage) % cut.teams];
      for (std::size_t thread = first; thread < end; ++thread) {
        const Part blocks = equal_part(set, thread - first, end - first);
        parts[stage][thread] = {blocks.first * cut.block, blocks.count * cut.block};
      }
    }
  }
  return parts;
}

}  // namespace homenode::workloads::stream
