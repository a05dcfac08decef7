// The lab's guest side, PID 1 of the virtual machine: what its files share.
//
// It serves the lab: it mounts the host's files, tells the driver that the guest is ready, runs the
// jobs that the driver asks for, and reports truthfully how each one ended. It exists because a
// distribution's own start-up takes over a minute under emulation and this takes a fraction of a
// second.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Where things lie in the guest. The host's root is the jobs' root; the session is outside of it.
#define HN_ROOT "/root"
#define HN_SESSION "/run/homenode-session"
#define HN_PATH_MAX 4096

// Prints one line about what failed, with errno's text, on the console and stops the machine.
// The driver finds the line in the console log. Never returns.
_Noreturn void hn_die(const char* tried, const char* what);

// Stops the machine at once. Nothing is lost: all that must last is on the host. Never returns.
_Noreturn void hn_stop(void);

// Reads a whole small file into `buffer` and ends it with a NUL; returns its length, or -1 with
// errno.
long hn_read_file(const char* path, char* buffer, size_t size);

// The symbolic name of an errno value ("ENOENT"), or "E<number>" in a static buffer.
const char* hn_errno_name(int number);

// Milliseconds since the guest's kernel started.
long hn_uptime_ms(void);
