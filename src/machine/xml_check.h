// Checks hwloc XML before hwloc sees it. hwloc trusts its files: an object without a set, or with
// sets that do not nest, makes it read through null pointers. Internal to the machine room.
#pragma once

#include <string>
#include <string_view>

namespace homenode::machine {

/// What is wrong with the XML of a machine, as a phrase; empty when hwloc may read it. It is no XML
/// parser: what is not well formed is left for hwloc's to find.
std::string find_xml_problem(std::string_view xml);

}  // namespace homenode::machine
