// How a guest comes up, and wakes up from a snapshot.
#pragma once

// Loads the modules listed, one path per line, in the file /modules. Missing file: nothing to load.
void hn_load_modules(void);

// Starts all CPUs that do not run yet, one after the other.
void hn_start_cpus(void);

// Sets the guest's time to SECONDS.NANOSECONDS since 1970, nine digits after the point.
void hn_set_time(const char* text);

// Makes the kernel's random numbers depend on `seed` from now on.
void hn_add_randomness(const char* seed);
