// Who called C++'s operator new, while it asks malloc. Serves allocations.cpp.
#pragma once

namespace homenode::agent {

/// The caller of the operator new that this thread is in, once; null when it is in none.
const void* take_caller_of_new();

}  // namespace homenode::agent
