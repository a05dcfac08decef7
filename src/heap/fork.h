// Forks. Before one, every lock is taken, so that no thread is in the middle of a change of the
// shared state; in the child, where only the thread that forked goes on, what the others had leased
// goes to the heaps that it belongs to. They may have been stopped within their fast way, which is
// why lists are whole at every instant and counts are made anew.
//
// libc runs these handlers before it takes the lock of its list of streams, under which other
// threads may wait for a stream whose holder allocates: fflush(NULL) beside getline(). So that lock
// comes first of all, as libc has it with its own malloc. And like libc's, none is taken while
// there is one thread: it may fork in a signal handler that has interrupted the holder of one.
//
// The order in which locks are taken, here and everywhere: of the list of private arenas, of the
// use of a private heap, of the process's tables, of the allocator's own memory, of heaps (those of
// CPUs before private ones), of arenas (in the same order), of huge blocks.
#pragma once

namespace homenode::heap {

/// Registers the handlers, once in a process, which pthread_atfork() calls in the reverse order of
/// their registration: early, so that the program's own come before ours and may still allocate.
void watch_forks();

}  // namespace homenode::heap
