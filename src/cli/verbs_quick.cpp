#include "cli/verbs_quick.h"

#include "cli/run/run.h"
#include "cli/where/where.h"

namespace homenode::cli {

std::vector<std::unique_ptr<Verb>> quick_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(make_run());
  verbs.push_back(make_where());
  return verbs;
}

}  // namespace homenode::cli
