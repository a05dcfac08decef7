// The kernel's list form of a set of ids ("0-3,8"), printed and parsed. The richer syntaxes of the
// command line (all, same, !, +) need a machine and live in the machine room.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/id_set.h"
#include "base/result.h"

namespace homenode {

/// The largest id accepted in a list; the kernel's own limits (NODES_SHIFT, NR_CPUS) lie below.
inline constexpr unsigned max_list_id = 65535;

/// Takes the number that `text` begins with off it. None, with `text` as it was, when there is none
/// or it is larger than max_list_id.
std::optional<unsigned> take_number(std::string_view& text);

/// "0-3,8", or "" for the empty set. parse(print(s)) == s.
std::string to_list(const NodeSet& nodes);
std::string to_list(const CpuSet& cpus);

/// Parses the kernel's list form: numbers and ranges, comma separated, blanks around them allowed;
/// "0-31:2/4" takes 2 of every 4. The empty string is the empty set.
/// Errors: bad_usage naming the part that is wrong.
Result<NodeSet> parse_node_list(std::string_view text);
Result<CpuSet> parse_cpu_list(std::string_view text);

}  // namespace homenode
