// Jobs: the programs that the driver asks the guest to run, from start to the report of their end.
#pragma once

#include "guest.h"

#include <poll.h>
#include <stdio.h>
#include <sys/types.h>

enum {
  HN_JOBS_MAX = 16,
  HN_STREAMS_PER_JOB = 2,
  HN_POLLS_MAX = HN_JOBS_MAX * (HN_STREAMS_PER_JOB + 1)
};

// One output of a job: what the program writes into the pipe is carried into a file of the session.
struct hn_stream {
  int pipe;  // read end, non-blocking; -1 once closed
  int file;
  bool lost;  // the file could not take more; the rest is read and thrown away
};

// The standard input of a job. Both ends of its pipe stay open here: what the job leaves unread is
// counted at its end.
struct hn_input {
  int pipe;      // write end, non-blocking; -1 after the end of the input, or without any
  int read_end;  // -1 without any input
  int chunk;     // the file that is being passed on; -1: none
  long left;     // bytes of it that are not in the pipe yet
  long taken;    // bytes of all chunks
};
#define HN_NO_INPUT ((struct hn_input){.pipe = -1, .read_end = -1, .chunk = -1})

// A job whose address spaces and threads the driver wants to know.
struct hn_watch {
  FILE* file;  // NULL: nobody wants to know them
  char* buffer;
  long next_ms;
};
#define HN_NO_WATCH ((struct hn_watch){.file = NULL})

struct hn_job {
  char name[64];
  pid_t pid;       // leader of the job's process group and session; 0: this slot is free
  char** outputs;  // paths of files that it writes for the host; NULL: none
  bool counted;    // every process is counted while this job runs
  long started_ms;
  struct hn_stream streams[HN_STREAMS_PER_JOB];
  struct hn_input input;
  struct hn_watch watch;
};

struct hn_jobs {
  int control;
  const char* clock;    // what jobs are told in HOMENODE_LAB_CLOCK; NULL: there is none
  const char* samples;  // in HOMENODE_LAB_COUNTS; NULL: there are none
  bool ran_before;
  struct hn_job slots[HN_JOBS_MAX];
};

// Makes all slots free. The driver is told about jobs through `control`. No job has a clock yet.
void hn_jobs_init(struct hn_jobs* jobs, int control);

// Starts the job whose files lie in the session under `name`; tells the driver `started` or
// `failed`.
void hn_job_start(struct hn_jobs* jobs, const char* name);

// Sends a signal to the job's process group; a job that is gone is ignored.
void hn_job_kill(struct hn_jobs* jobs, const char* name, int signal);

// Passes on a chunk of `size` bytes that lies in the session to the job's standard input; 0 is its
// end. A job that is gone is ignored.
void hn_job_input(struct hn_jobs* jobs, const char* name, long size);

// Reaps all children; for a job's leader, ends what it left behind and tells the driver how it
// ended.
void hn_jobs_reap(struct hn_jobs* jobs);

// Fills `polls` (room for HN_POLLS_MAX) with the open pipes; returns how many.
nfds_t hn_jobs_polls(const struct hn_jobs* jobs, struct pollfd* polls);

// How many milliseconds may pass until hn_jobs_watch() has something to do; -1: any.
int hn_jobs_patience_ms(const struct hn_jobs* jobs);

// Looks at the jobs that are watched, where it is time to.
void hn_jobs_watch(struct hn_jobs* jobs);

// Carries what waits in the jobs' pipes now into their files, and their input into its pipes.
void hn_jobs_relay(struct hn_jobs* jobs);

// jobs_child.c: the short life of a job's process between fork and exec, and the files that say
// what it becomes.

// A NUL-separated list of strings in a file as a NULL-terminated vector, or NULL with errno.
char** hn_read_strings(const char* path);

// Frees such a vector; NULL is none.
void hn_free_strings(char** strings);

// What a job's process is to become. `clock` and `samples`: the paths of the lab's clock and of its
// counts by unit of memory, NULL without.
struct hn_program {
  const char* directory;
  char** argv;
  char** env;
  const char* clock;
  const char* samples;
};

// Becomes the job in the forked child: own session, streams, root, directory, signals, exec.
// `input` -1 is an empty one. On failure writes errno (an int) into `failure` and exits.
_Noreturn void hn_job_become(const struct hn_program* program, int input, const int outputs[2],
                             int failure);

// jobs_outputs.c: files that a job writes for the host.

// Lets the job write files for the host, at the paths in job->outputs. False with errno.
bool hn_outputs_open(struct hn_job* job);

// Puts what the job wrote there into the session, as output.NUMBER, and takes back what
// hn_outputs_open() did. Tells the driver what cannot be kept.
void hn_outputs_close(struct hn_job* job, int control);

// jobs_watch.c: which mappings and threads a job has.

// Begins to watch a job if the driver has put its file "watch" into the session.
void hn_watch_open(struct hn_watch* watch, const char* job);

// Milliseconds until it is time to look; -1: never.
int hn_watch_wait_ms(const struct hn_watch* watch);

// Looks at every process of the guest, where it is time to.
void hn_watch_look(struct hn_watch* watch);

// Ends it; nothing happens where nobody watched.
void hn_watch_close(struct hn_watch* watch);
