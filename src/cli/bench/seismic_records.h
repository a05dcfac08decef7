// What a run of `bench seismic` recorded, as a table and as the JSON that homenode-draw draws.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "workloads/seismic/scene.h"
#include "workloads/seismic/solver.h"

namespace homenode::cli {

/// A plane of the wave field at the end of the run.
struct SeismicSnapshot {
  const workloads::seismic::Scene& scene;
  const workloads::seismic::Slice& slice;
  const workloads::seismic::Picture& picture;
};

/// What the receivers felt.
struct SeismicTraces {
  const workloads::seismic::Scene& scene;
  const std::vector<std::vector<double>>& traces;    ///< [receiver][step]
  const std::vector<std::vector<double>>& expected;  ///< The exact ones, or empty.
};

/// Schema homenode.bench.seismic.snapshot/1: the plane's values, in m/s or Pa, row by row from the
/// lowest on, what is no number as null; and what lies in the plane, in cells and m.
std::string snapshot_json(const SeismicSnapshot& seen);

/// Schema homenode.bench.seismic.seismogram/1: each receiver's place in m from the source and its
/// velocity at each step in m/s, beside the exact one where it is known.
std::string seismogram_json(const SeismicTraces& seen);

/// One line a step: its time in s, then each receiver, and the exact motion where it is known.
std::string seismogram_csv(const SeismicTraces& seen);

}  // namespace homenode::cli
