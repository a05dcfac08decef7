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

// Writes a word to a file of the kernel, and leaves it open: a descriptor, or -1 with errno.
int hn_open_with(const char* path, const char* text);

// Writes a word to a file of the kernel; false with errno.
bool hn_write_file(const char* path, const char* text);

// The symbolic name of an errno value ("ENOENT"), or "E<number>" in a static buffer.
const char* hn_errno_name(int number);

// Milliseconds since the guest's kernel started.
long hn_uptime_ms(void);

// guest_control.c: the wire to the driver: one virtio-serial port, newline-terminated ASCII both
// ways.

// Opens the virtio-serial port called homenode.ctl; returns its descriptor.
int hn_open_control(void);

// Writes one line to the driver; waits while the driver is slow to read.
void hn_tell(int control, const char* format, ...) __attribute__((format(printf, 2, 3)));

// guest_machine.c: what the lab's machine has and QEMU has no option for: caches, and a clock of
// modelled time.

// Makes the files that tell of the caches which the session's file "caches" describes.
// pre: the session is mounted.
void hn_make_caches(void);

// Puts those files in the place of the kernel's in /sys. pre: all CPUs run.
void hn_show_caches(void);

// Writes the figures that the session's file "figures" gives into those files.
void hn_set_figures(void);

// Finds the device behind which the lab's clock lies, switches it on and writes the path of its
// memory to `path`. False: this guest has none.
bool hn_find_clock(char* path, size_t size);

// guest_memory.c: memory that runs out.

// A descriptor that polls POLLPRI when all programs have waited for memory for a while; -1 where
// the kernel does not tell.
int hn_open_pressure(void);

// Has the kernel kill the program that uses most memory, if there is none left.
void hn_end_thrashing(void);

// guest_mounts.c: the guest's file systems: its own, the session's, and the root that jobs are
// confined to.

// Mounts what the guest itself needs to talk with the driver: proc, sys and devtmpfs.
void hn_mount_guest(void);

// Mounts the session, and unmounts it: QEMU takes no snapshot of a guest that has mounted it.
void hn_mount_session(void);
void hn_unmount_session(void);

// Mounts the jobs' root: the host's files read-only with fresh /tmp, /run, /dev/shm over them, /sys
// as it is, and the results directory, if the session's file "results" names one, at its own path.
void hn_mount_job_root(void);

// Shows jobs the session's file "samples", to which the plugin appends what it counted by unit of
// memory; returns its path there, or NULL where this session has none.
const char* hn_show_samples(void);

// Makes the folders on the way to `path` and itself, where they are missing.
void hn_make_folders(char* path);

// guest_kernel.c: where the guest's kernel has the functions that the lab's clock watches.

// Looks them up. It takes a moment, so it is done before a snapshot is taken.
void hn_find_kernel_functions(void);

// Tells the plugin; 0 for what this kernel does not have.
void hn_tell_kernel_functions(void);

// guest_start.c: how a guest comes up, and wakes up from a snapshot.

// Loads the modules listed, one path per line, in the file /modules. Missing file: nothing to load.
void hn_load_modules(void);

// Opens the page-fault event, uncounted, and keeps it open, so that no program that opens and
// closes it makes the kernel write and take back the branches that serve it, in code that all CPUs
// run: QEMU up to 10.0 at least may translate such code once more between its word that the code
// changes and the change. A CPU that keeps a breakpoint of before is a panic ("int3"), about one in
// 300 openings. A kernel without the event needs nothing.
void hn_keep_fault_event(void);

// Starts all CPUs that do not run yet, one after the other.
void hn_start_cpus(void);

// Sets the guest's time to SECONDS.NANOSECONDS since 1970, nine digits after the point.
void hn_set_time(const char* text);

// Makes the kernel's random numbers depend on `seed` from now on.
void hn_add_randomness(const char* seed);
