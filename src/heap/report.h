// The statistics as JSON, at the end of a process, on a signal or when the program asks. Serves who
// wants to know what the allocator did.
#pragma once

namespace homenode::heap {

/// Has the statistics written with the next slow allocation of any thread: in a signal handler,
/// which may have interrupted the holder of a lock, they cannot be.
void ask_for_statistics();
/// For the slow way of allocate(), outside all locks.
void write_if_asked();
/// Where what is said at the end or on a signal goes: the file that was named, or -1 when the
/// program has meanwhile closed it and the number may be another file's.
void set_output(int file);
int output();

/// One JSON object (schema homenode.malloc/1) and a line's end.
void write_statistics(int file);

}  // namespace homenode::heap
