// Whose a process's heaps are, where homenode's malloc made them: of which node, and of malloc
// itself or of a heap that the program holds. Serves `where`. The kernel's names of mappings say it
// where the kernel can name them; elsewhere the first bytes of the memory do (base/heap_header.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sensing/survey.h"
#include "sensing/system_files.h"

namespace homenode::sensing {

/// The owner that a name of a mapping tells of: "[anon:homenode malloc node 1]". Pure.
std::optional<HeapOwner> owner_in_name(std::string_view name);
/// The owner that the first bytes of memory at an address tell of. They are another program's and
/// may be anything: what is not whole in every field tells of none. Pure.
std::optional<HeapOwner> owner_in_header(std::string_view bytes, std::uint64_t address);

/// Gives the survey's anonymous mappings their owners, and those that have one the group heap.
/// Reads /proc/PID/pagemap and /proc/PID/mem, at most 1024 places of a mapping, and none whose page
/// is not present. Where that is refused, as it is to a stranger, mappings stay as they are; if the
/// process has homenode's library, a note says so.
void find_heap_owners(const SystemFiles& files, Survey& survey);

}  // namespace homenode::sensing
