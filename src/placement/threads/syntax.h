// What the parsers of thread expressions share. Serves expression_*.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "placement/threads/map.h"

namespace homenode::placement {

/// No expression stands for more entries: a slip of the hand must not take all memory.
inline constexpr std::size_t max_map_entries = 65536;

/// The text between separators; one part, empty, for the empty text.
std::vector<std::string_view> split(std::string_view text, char separator);

/// A whole text that is one number (base/id_list.h's take_number).
std::optional<unsigned> whole_number(std::string_view text);

/// "cannot read 'PART' in the thread expression 'TEXT'; NEXT".
Unexpected unreadable(std::string_view part, std::string_view text, std::string next);

/// Errors: bad_usage when the map names a CPU that is not allowed, is empty or has an empty place.
Result<ThreadMap> checked(const machine::Machine& machine, ThreadMap map, std::string_view text);

}  // namespace homenode::placement
