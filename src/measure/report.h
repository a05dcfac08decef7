// Everything that one measurement found, as a value: text, JSON, pictures and XML come from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "measure/plan.h"
#include "measure/statistics.h"
#include "placement/policies/weights.h"

namespace homenode::measure {

struct LatencyFigure {
  LatencyItem item;
  Summary ns;
};

/// How a kernel was computed: what a trial found fastest.
struct KernelForm {
  std::string name;          ///< "avx2 x4, non-temporal"; empty where nothing was measured.
  bool past_caches = false;  ///< Its stores read no lines first.
};

struct BandwidthFigure {
  BandwidthItem item;
  std::size_t cpus = 0;
  Summary mibs;  ///< MiB/s of the bytes that STREAM counts; times moved_ratio() on the bus.
  KernelForm form = {};
};

struct TogetherFigure {
  TogetherItem item;
  std::size_t cpus = 0;
  Summary mibs;
  KernelForm form = {};
};

/// One point of a load curve.
struct LoadedPoint {
  std::size_t idle_rounds = 0;
  Summary injected_mibs;
  Summary latency_ns;
};
struct LoadedCurve {
  Pair pair;
  std::size_t injecting_cpus = 0;  ///< 0: not measurable, the node has no CPU beside the one.
  std::vector<LoadedPoint> points;
};

struct CoreFigure {
  CorePair pair;
  Summary ns;
};

/// A GPU and the memory of a node; each a summary of no runs where the driver refused.
struct GpuFigure {
  NodeId node;
  Summary to_mibs = {};
  Summary from_mibs = {};
  Summary latency_ns = {};  ///< Of dependent loads of one of its threads.
};
/// A GPU that was measured.
struct GpuFacts {
  std::string name;    ///< As `homenode topology` has it: gpu0.
  std::string pci;     ///< 0000:3b:00.0.
  std::string model;   ///< The driver's name for it.
  std::string driver;  ///< "CUDA 13.0".
  NodeSet nodes;       ///< Near it, as the firmware says; empty where it says nothing.
  std::vector<GpuFigure> figures = {};  ///< Without those that could not be measured at all.
};

/// The memory of a target, as it was after the measurement's preparations.
struct MemoryFacts {
  NodeId node;
  Bytes array;                ///< The size of each of the two arrays.
  std::optional<Bytes> huge;  ///< Of both, in huge pages; absent when the kernel does not say.
  /// The chain stays in a page until it has visited every second line of it, to keep TLB misses
  /// out; else it is in random order over the whole array.
  bool page_local = false;
  std::size_t pages = 0;
  std::size_t elsewhere = 0;  ///< Pages that the audit found on another node or on none.
  std::string why;            ///< What the kernel said to that, or why there was no audit.
  bool audited = true;
};

struct InterleaveWeights {
  std::optional<NodeId> from;  ///< Absent: for the machine as a whole.
  placement::Weights weights;
};

struct Report {
  machine::Machine machine;
  Plan plan;
  bool modelled = false;
  std::string isa;  ///< The widest whose kernels were tried.
  std::vector<MemoryFacts> memory;
  std::vector<LatencyFigure> latency;
  std::vector<BandwidthFigure> bandwidth;
  std::vector<TogetherFigure> together;
  std::vector<LoadedCurve> loaded;  ///< Of every pair, those not measurable included.
  std::vector<CoreFigure> cores;
  std::vector<GpuFacts> gpus;  ///< By the index of the plan's items.
  std::vector<InterleaveWeights> weights;
  double seconds = 0.0;            ///< On the clock of the measurement.
  std::vector<std::string> notes;  ///< The plan's and those of the way, a sentence each.
};

}  // namespace homenode::measure
