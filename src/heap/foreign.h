// Blocks that are not ours: of libc's own malloc, from before the library was there or from a part
// of the program that does not see it. They go to libc's functions. Serves the allocator.
#pragma once

#include <cstddef>

namespace homenode::heap {

/// Of a huge block: the hardened build knows a second free of it. Before its memory is given up.
void remember_freed(void* memory);
void release_foreign(void* memory);
void* resize_foreign(void* memory, std::size_t bytes);
std::size_t usable_foreign(void* memory);

}  // namespace homenode::heap
