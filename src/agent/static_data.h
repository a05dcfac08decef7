// Where the pieces that the wire text names by file and link-time address are in this process, and
// the placing of static data. Serves allocations.cpp; needs the dynamic linker's list of objects.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/words.h"

namespace homenode::agent {

/// Sets `loaded` of all pieces whose file is mapped now; the others keep 0. Programs that the
/// program starts read the same text, and have none of its pieces.
void find_pieces(Words& words);

/// Puts each piece of static data that is here where its rule says.
void place_static_data(const Words& words, std::size_t page_bytes);

/// True when the code at `caller`, to which a call returns, is one of the rule's pieces, or the
/// rule names none.
bool is_asked_from(const AllocationRule& rule, std::uintptr_t caller);

}  // namespace homenode::agent
