// How many files this process may have open. Serves the verb `sample`, which opens one for each
// thread and CPU of a process.
#pragma once

namespace homenode::os {

/// Raises the limit as far as the hard one allows. What is started later inherits it.
void raise_file_limit();

}  // namespace homenode::os
