// From the names in rules of --place (name=u, from=alloc_3d) to places in the files of the program
// that is started. Pure; serves the verb `run`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/allocation_objects.h"
#include "launch/allocations.h"

namespace homenode::launch {

/// Fills in the pieces of every rule that has names. A name may be a pattern as the shell's (work*)
/// and is compared with the symbol and with its names in the source: source_name, and full_name
/// where it has a template's arguments or a scope. A page that two arrays share goes to the one
/// that begins first, and an array to the first rule that fits.
///
/// Errors: bad_usage for
/// - a name that nothing has, with names that are near;
/// - one that only read-only data have;
/// - one of which all are smaller than the rule asks for.
Result<void> find_named_pieces(std::vector<AllocationRule>& rules,
                               const std::vector<ProgramObject>& objects, std::uint64_t page_bytes);

/// What a rule is for, for --explain: "allocations of 1048577 bytes or more", "static data u
/// (800000 bytes of cg.A)".
std::string target_text(const AllocationRule& rule);

}  // namespace homenode::launch
