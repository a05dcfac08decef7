// What a person wants measured. The command line fills it in; the plan makes figures of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/id_set.h"
#include "base/units.h"
#include "workloads/probe/kernels.h"

namespace homenode::measure {

using workloads::probe::Kernel;

struct Request {
  bool quick = false;
  bool latency = true;
  bool bandwidth = true;
  bool loaded = true;
  bool weights = true;
  bool gpus = true;              ///< Where there are any, with a driver that can measure.
  bool cores = false;            ///< Core to core: as many figures as pairs of CPUs.
  NodeSet from;                  ///< Nodes whose CPUs ask; empty: all that can.
  NodeSet to;                    ///< Nodes whose memory is asked; empty: all that can.
  std::vector<Kernel> kernels;   ///< Empty: those of the mode.
  std::optional<unsigned> runs;  ///< Of each figure; the mode's when absent.
  std::optional<Bytes> size;     ///< Of each array of a node; from the caches when absent.
  std::string isa;               ///< Empty: the widest.
};

}  // namespace homenode::measure
