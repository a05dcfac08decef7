// Calling the handler that a C++ program has set for when memory ends. Serves operators.cpp.
#pragma once

namespace homenode::heap {

/// False when the handler left by an exception, which ends here: for the forms of new that do not
/// throw.
bool returns(void (*handler)());

}  // namespace homenode::heap
