// What sampling needs of this machine, kernel, libc and program, looked for before the program
// begins. Serves the sampler by protection keys.
#pragma once

namespace homenode::agent::pkeys {

/// Finds out whether sampling is possible here and takes what it needs: null, or why it is not.
/// Before any other code of the program, once.
const char* prepare();

}  // namespace homenode::agent::pkeys
