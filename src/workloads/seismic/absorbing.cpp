#include "workloads/seismic/absorbing.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace homenode::workloads::seismic {
namespace {

struct Damping {
  double keep = 0.0;
  double take = 0.0;
};

/// `depth` into the face: 0 where it begins, 1 at its end.
Damping damping_at(const AbsorbingFace& face, double depth) {
  if (depth <= 0.0) return {};
  const double length_m = static_cast<double>(face.width) * face.spacing_m;
  const double most = -3.0 * face.fastest_m_s * std::log(face.reflection) / (2.0 * length_m);
  const double d = most * depth * depth;
  const double alpha = std::numbers::pi * face.frequency_hz * std::max(0.0, 1.0 - depth);
  const double keep = std::exp(-(d + alpha) * face.step_s);
  return {keep, d * (keep - 1.0) / (d + alpha)};
}

}  // namespace

AbsorbingProfile absorbing_profile(const AbsorbingFace& face) {
  AbsorbingProfile profile;
  const auto width = static_cast<double>(face.width);
  // The low face begins at width - 1/2 and the high one as far before its first node, so that both
  // hold the same number of nodes and of half nodes, whose depths follow from each other.
  for (std::size_t n = 0; n < 2 * face.width; ++n) {
    const double at = static_cast<double>(n);
    const bool low = n < face.width;
    const double node = low ? width - 0.5 - at : at - width + 0.5;
    const double half = low ? node - 0.5 : node + 0.5;
    const Damping whole = damping_at(face, node / width);
    const Damping after = damping_at(face, half / width);
    profile.keep.push_back(whole.keep);
    profile.take.push_back(whole.take);
    profile.keep_half.push_back(after.keep);
    profile.take_half.push_back(after.take);
  }
  return profile;
}

}  // namespace homenode::workloads::seismic
