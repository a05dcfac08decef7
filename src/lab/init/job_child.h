// The short life of a job's process between fork and exec, and the files that say what it becomes.
#pragma once

// A NUL-separated list of strings in a file as a NULL-terminated vector, or NULL with errno.
char** hn_read_strings(const char* path);

// Frees such a vector; NULL is none.
void hn_free_strings(char** strings);

// What a job's process is to become. `clock`: the path of the lab's clock, NULL without one.
struct hn_program {
  const char* directory;
  char** argv;
  char** env;
  const char* clock;
};

// Becomes the job in the forked child: own session, streams, root, directory, signals, exec.
// On failure writes errno (an int) into `failure` and exits.
_Noreturn void hn_job_become(const struct hn_program* program, const int outputs[2], int failure);
