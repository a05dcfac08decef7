// A machine as hwloc's XML, for lstopo, for other programs and for load_xml().
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/matrices.h"

namespace homenode::machine {

/// What load() reads from `source`, with all that hwloc knows of it. `matrices` (rows nodes with
/// CPUs, columns nodes with memory, as in Machine::pair_values) take the place of the source's own
/// of the same kind; values are rounded to whole numbers, unknown ones left out. Matrices become
/// memory attributes, whose provenance stands in infos `homenode:Provenance.…`, so that load_xml()
/// gives them back as they were. `infos` are added to those of the machine. Errors: as load().
Result<std::string> export_xml(const std::string& source,
                               const std::vector<PairValues>& matrices = {},
                               const std::map<std::string, std::string>& infos = {});

}  // namespace homenode::machine
