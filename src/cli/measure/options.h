// homenode measure: its options and the request that they make.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/draw.h"
#include "cli/options.h"
#include "machine/machine.h"
#include "measure/request.h"

namespace homenode::cli {

struct MeasureOptions {
  bool quick = false;
  bool json = false;
  bool no_progress = false;
  std::vector<std::string> only;     ///< latency, bandwidth, loaded, weights, gpus, cores; empty:
                                     ///< all but cores.
  std::vector<std::string> kernels;  ///< Names; empty: those of the mode.
  std::string from;                  ///< Nodes, as numactl -N takes them; empty: all.
  std::string to;
  std::string size;
  unsigned runs = 0;  ///< 0: the mode's.
  std::string isa;
  Output csv;
  std::string output;  ///< A file for hwloc's XML, or empty.
  std::string svg;     ///< A file for the heat map, or empty.
};

/// Adds every option to the parser; they are read into `options`, which must outlive it.
void define_measure_options(CLI::App& app, MeasureOptions& options);

/// Errors: bad_usage naming the option that is wrong.
Result<measure::Request> make_request(const MeasureOptions& options,
                                      const machine::Machine& machine);

}  // namespace homenode::cli
