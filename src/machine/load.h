// Machines from the outside world, through hwloc: the live one, an XML file, a synthetic string.
#pragma once

#include <string>

#include "base/result.h"
#include "machine/machine.h"
#include "machine/quick_machine.h"

namespace homenode::machine {

/// The whole machine this process runs on; `allowed_*` say what its cpuset and its CPU binding
/// leave. HWLOC_FSROOT is honoured. CPUs that are offline are absent; a system without nodes is one
/// node 0. Errors: failed when hwloc cannot read the system.
///
/// What hwloc does not tell is guessed: it gives a CPU-less node the CPUs of its neighbours, so
/// where nodes share CPUs they go to ordinary memory before HBM, CXL and other special kinds, to
/// the narrower node before the wider, to the lower id before the higher.
Result<Machine> load_live();

/// The same, held against the kernel's own files, which `read` reads: hwloc takes a file that it
/// is refused for one that is not there. Errors: also failed for CPUs, nodes and memory that hwloc
/// did not see, or where the kernel's files cannot be read. Packages, caches, devices and distances
/// stay hwloc's own word.
Result<Machine> load_live(const FileReader& read);

/// load_live(), held against the files of the kernel that this runs on. Errors: as there.
Result<Machine> read_live_machine();

/// A machine from an hwloc XML file (of version 1, 2 or 3 as the installed hwloc reads). Its name
/// is the info attribute homenode:Name, else DMIProductName, else the file's name. Errors: failed,
/// in one line, for a missing, unreadable or broken file, or one whose figures cannot be true.
Result<Machine> load_xml(const std::string& path);

/// A machine from hwloc's synthetic description, such as "pack:2 [numa] core:2 pu:1".
Result<Machine> load_synthetic(const std::string& description);

/// What a person names: "live", "synthetic:DESCRIPTION", or else the path of an XML file.
Result<Machine> load(const std::string& source);

}  // namespace homenode::machine
