// Processes that a program starts beside itself: bound to its life, and waited for whatever
// interrupts. And the number that the kernel gives a thread.
#pragma once

#include <sys/types.h>

#include <optional>

namespace homenode::os {

/// fork(2): 0 in the child, which the kernel kills when the caller ends, however that ends; in the
/// caller the child's number, or -errno. pre: the caller has one thread.
pid_t fork_bound();

/// How a process ended.
struct Ending {
  bool by_signal = false;
  int number = 0;  ///< The signal, or the exit code.
};

/// Waits until a child has ended. Nothing where it is no child of the caller.
std::optional<Ending> wait_for(pid_t process);

/// Raises the limit on open files as far as the hard one allows. What is started later inherits it.
void raise_file_limit();

/// Of the calling thread, as the kernel numbers it.
pid_t thread_id();

}  // namespace homenode::os
