// Machines from the outside world, through hwloc: the live one, an XML file, a synthetic string.
#pragma once

#include <string>

#include "base/result.h"
#include "machine/machine.h"

namespace homenode::machine {

/// The machine this process runs on, as its cpuset lets it see it; HWLOC_FSROOT is honoured.
/// Errors: failed when hwloc cannot read the system.
Result<Machine> load_live();

/// A machine from an hwloc XML file (v2 or v3 as the installed hwloc reads). Errors: failed, in one
/// line, for a missing, unreadable or broken file.
Result<Machine> load_xml(const std::string& path);

/// A machine from hwloc's synthetic description, such as "pack:2 [numa] core:2 pu:1".
Result<Machine> load_synthetic(const std::string& description);

/// What a person names: "live", a path that ends in .xml, "synthetic:DESCRIPTION".
Result<Machine> load(const std::string& source);

}  // namespace homenode::machine
