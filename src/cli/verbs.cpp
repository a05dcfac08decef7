// The table of built-in verbs.
#include "cli/bench/bench.h"
#include "cli/measure/measure.h"
#include "cli/run/run.h"
#include "cli/topology/topology.h"
#include "cli/where/where.h"
#include "cli/verb.h"

namespace homenode::cli {

std::vector<std::unique_ptr<Verb>> built_in_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(make_topology());
  verbs.push_back(make_measure());
  verbs.push_back(make_bench());
  verbs.push_back(make_run());
  verbs.push_back(make_where());
  return verbs;
}

std::vector<ExternalVerb> external_verbs() {
  return {{"lab", "run a command in a virtual NUMA machine, on any host"},
          {"study", "run a declared experiment, resume it where it stopped"},
          {"report", "turn a study's records into one self-contained HTML page"}};
}

}  // namespace homenode::cli
