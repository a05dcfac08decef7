// homenode bench seismic: its options and the scene that they describe; what a run recorded, as a
// table and as the JSON that homenode-draw draws; and --verify, which holds the solver against
// closed forms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "cli/bench/program.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "trial/program/run.h"
#include "workloads/seismic/scene.h"
#include "workloads/seismic/solver.h"

namespace homenode::cli {

struct SeismicOptions {
  std::string size = "128";
  std::size_t steps = 150;
  std::string precision = "double";
  std::string source = "explosion";
  bool free_surface = false;
  std::vector<std::string> layers;        ///< DEPTH:DENSITY:P:S
  std::optional<std::size_t> time_block;  ///< Steps that are run together; absent: by a trial.
  std::string snapshot;                   ///< An SVG or PNG file, or empty.
  std::string seismogram;                 ///< A CSV or SVG file, or empty.
  bool verify = false;
  ProgramOptions program;
};

void define_seismic_options(CLI::App& app, SeismicOptions& options);

struct SeismicPlan {
  workloads::seismic::Scene scene;
  std::vector<workloads::seismic::Slice> slices;
  workloads::seismic::TimeBlock block;
  bool block_is_tried = false;  ///< A trial chose it.
  bool compare = false;  ///< The exact motion is known and the run is long enough to show it;
  std::string why_not;   ///< else this says why not.
};

/// Errors: bad_usage for what cannot be read or simulated, or files that cannot be written.
Result<SeismicPlan> plan_seismic(const SeismicOptions& options);

/// What a run is worth beside what this machine's memory can do.
struct SeismicSpeed {
  double rate = 0;   ///< Cells and steps a second, the median of the runs.
  double bytes = 0;  ///< Useful bytes of a cell and a step.
  double triad = 0;  ///< Bytes a second of a triad over as much memory, on the bus; 0 when not
                     ///< measured.
  std::string triad_form;  ///< How that was computed.
  Bytes footprint;         ///< Of the grid.
  Bytes caches;            ///< All last-level caches of the machine; 0 when unknown.

  [[nodiscard]] double traffic() const { return rate * bytes; }
  /// The caches serve so much of the grid, and of a triad over as much, that neither says what
  /// memory gives: below the size that `measure` takes, and STREAM's rules ask for.
  [[nodiscard]] bool is_cached() const;
  /// Of the triad; nothing where it is not known, or is that of caches.
  [[nodiscard]] std::optional<double> share() const;
};

/// The speed for people; a share of the triad, or why there is none and which --size has one.
std::string speed_text(const SeismicSpeed& speed, const SeismicPlan& plan);

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

/// Prints one line a run. Errors: failed where a misfit is too large or falls too slowly; those of
/// check_setup() and run_program().
Result<void> verify_seismic(Context& context, const machine::Machine& machine,
                            const trial::ProgramSetup& setup, bool json);

}  // namespace homenode::cli
