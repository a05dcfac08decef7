// A plane of a wave field as a drawing: the picture within axes, beside its scale. Pure.
#pragma once

#include <string>

#include "workloads/seismic/scene.h"
#include "workloads/seismic/solver.h"

namespace homenode::cli {

struct SeismicSnapshot {
  const workloads::seismic::Scene& scene;
  const workloads::seismic::Slice& slice;
  const workloads::seismic::Picture& picture;
};

/// An SVG: km from the first source, or depth below a free surface; m/s or Pa; the source, the
/// layers' roofs and where the absorbing faces begin.
std::string seismic_snapshot_svg(const SeismicSnapshot& seen);

}  // namespace homenode::cli
