// The table of built-in verbs.
#include "cli/bench/bench.h"
#include "cli/measure/measure.h"
#include "cli/run/run.h"
#include "cli/topology/topology.h"
#include "cli/verb.h"
#include "cli/where/where.h"

namespace homenode::cli {

std::vector<std::unique_ptr<Verb>> built_in_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(std::make_unique<Topology>());
  verbs.push_back(std::make_unique<Measure>());
  verbs.push_back(make_bench());
  verbs.push_back(make_run());
  verbs.push_back(make_where());
  return verbs;
}

}  // namespace homenode::cli
