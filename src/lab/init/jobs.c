// Starting jobs, carrying their output, and reporting how they ended.
#include "jobs.h"

#include "guest.h"

#include "base/marker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20 };

static const char* const stream_names[HN_STREAMS_PER_JOB] = {"stdout", "stderr"};

static struct hn_job* find_job(struct hn_jobs* jobs, const char* name) {
  for (int i = 0; i < HN_JOBS_MAX; ++i)
    if (jobs->slots[i].pid != 0 && strcmp(jobs->slots[i].name, name) == 0) return &jobs->slots[i];
  return NULL;
}

static int running_jobs(const struct hn_jobs* jobs) {
  int running = 0;
  for (int i = 0; i < HN_JOBS_MAX; ++i) running += jobs->slots[i].pid != 0;
  return running;
}

// The host's files are cached in the guest without looking back. They may have changed between two
// jobs, so each job starts with nothing cached; it also starts with the same free memory.
static void forget_host_files(void) {
  if (!hn_write_file("/proc/sys/vm/drop_caches", "3"))
    dprintf(STDERR_FILENO, "homenode-lab-init: cannot drop caches: %s\n", strerror(errno));
}

static void job_path(char* path, size_t size, const char* name, const char* file) {
  snprintf(path, size, HN_SESSION "/%s/%s", name, file);
}

static void close_streams(struct hn_job* job) {
  for (int i = 0; i < HN_STREAMS_PER_JOB; ++i) {
    struct hn_stream* stream = &job->streams[i];
    if (stream->pipe >= 0) close(stream->pipe);
    if (stream->file >= 0) close(stream->file);
    *stream = (struct hn_stream){.pipe = -1, .file = -1};
  }
}

void hn_jobs_init(struct hn_jobs* jobs, int control) {
  *jobs = (struct hn_jobs){.control = control};
  for (int i = 0; i < HN_JOBS_MAX; ++i) {
    jobs->slots[i].input = HN_NO_INPUT;
    jobs->slots[i].watch = HN_NO_WATCH;
    for (int index = 0; index < HN_STREAMS_PER_JOB; ++index)
      jobs->slots[i].streams[index] = (struct hn_stream){.pipe = -1, .file = -1};
  }
}

// Opens both output files and their pipes; the write ends go to `outputs`. False with errno.
static bool open_streams(struct hn_job* job, int outputs[2]) {
  for (int i = 0; i < HN_STREAMS_PER_JOB; ++i) {
    char path[HN_PATH_MAX];
    int ends[2];
    job_path(path, sizeof path, job->name, stream_names[i]);
    job->streams[i].file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (job->streams[i].file < 0 || pipe2(ends, O_CLOEXEC) != 0) return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    // Fewer, larger writes to the host; where it is refused, the usual size does too.
    fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
    job->streams[i].pipe = ends[0];
    outputs[i] = ends[1];
  }
  return true;
}

// The guest asks for a chunk of a job's standard input (`wants`). The driver puts one into the
// session and sends its size, 0 at the end. So neither side holds more than a chunk, however long
// it is.

static void stdin_path(char* path, size_t size, const struct hn_job* job) {
  snprintf(path, size, HN_SESSION "/%s/stdin", job->name);
}

static void close_one(int* file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

static bool open_input(struct hn_job* job) {
  char path[HN_PATH_MAX];
  int ends[2];
  job->input = HN_NO_INPUT;
  stdin_path(path, sizeof path, job);
  if (access(path, F_OK) != 0) return true;
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  job->input.read_end = ends[0];
  job->input.pipe = ends[1];
  return true;
}

static void ask_for_input(const struct hn_job* job, int control) {
  if (job->input.pipe >= 0) hn_tell(control, "wants %s", job->name);
}

static void feed_input(struct hn_job* job, int control) {
  static char buffer[1 << 16];
  struct hn_input* input = &job->input;
  while (input->chunk >= 0 && input->left > 0) {
    const size_t size = input->left < (long)sizeof buffer ? (size_t)input->left : sizeof buffer;
    const ssize_t got = read(input->chunk, buffer, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      hn_tell(control, "lost %s stdin %s", job->name, hn_errno_name(got < 0 ? errno : EIO));
      close_one(&input->chunk);
      return;
    }
    ssize_t written;
    do {
      written = write(input->pipe, buffer, (size_t)got);
    } while (written < 0 && errno == EINTR);
    if (written < 0) written = 0;
    input->left -= written;
    // The pipe is full: the rest of what was read is read again once there is room.
    if (written < got && lseek(input->chunk, written - got, SEEK_CUR) >= 0) return;
  }
  if (input->chunk < 0) return;
  close_one(&input->chunk);
  ask_for_input(job, control);
}

static void take_input(struct hn_job* job, int control, long size) {
  char path[HN_PATH_MAX];
  struct hn_input* input = &job->input;
  if (size <= 0) {
    close_one(&input->pipe);
    return;
  }
  stdin_path(path, sizeof path, job);
  input->chunk = open(path, O_RDONLY | O_CLOEXEC);
  input->left = size;
  input->taken += size;
  // What cannot be read must not look like the end of the input.
  if (input->chunk < 0) hn_tell(control, "lost %s stdin %s", job->name, hn_errno_name(errno));
  feed_input(job, control);
}

static void close_input(struct hn_job* job, int control) {
  struct hn_input* input = &job->input;
  long in_pipe = 0;
  if (input->read_end >= 0) {
    static char buffer[1 << 16];
    close_one(&input->pipe);  // So that the pipe has an end.
    for (ssize_t got; (got = read(input->read_end, buffer, sizeof buffer)) > 0;) in_pipe += got;
    hn_tell(control, "read %s %ld", job->name, input->taken - input->left - in_pipe);
  }
  close_one(&input->chunk);
  close_one(&input->pipe);
  close_one(&input->read_end);
  *input = HN_NO_INPUT;
}

// Begins what the job's file "roi" wants: a region of all, one until the program begins its own
// ("auto"), or none. Returns whether one begins.
static bool begin_counting(const char* name) {
  char path[HN_PATH_MAX];
  char roi[16];
  job_path(path, sizeof path, name, "roi");
  if (hn_read_file(path, roi, sizeof roi) < 3) return false;
  if (strncmp(roi, "all", 3) == 0) {
    hn_marker_begin_all();
    return true;
  }
  if (strncmp(roi, "auto", 4) != 0) return false;
  hn_marker_begin_provisional();
  return true;
}

// Forks the job; returns 0, or the errno value that kept the program from running.
static int launch(struct hn_job* job, const struct hn_program* program) {
  int outputs[HN_STREAMS_PER_JOB] = {-1, -1};
  int failure[2];
  int error = 0;
  if (!open_streams(job, outputs) || !open_input(job) || pipe2(failure, O_CLOEXEC) != 0) {
    error = errno;
  } else {
    job->started_ms = hn_uptime_ms();
    job->counted = begin_counting(job->name);
    job->pid = fork();
    if (job->pid == 0) hn_job_become(program, job->input.read_end, outputs, failure[1]);
    error = job->pid < 0 ? errno : 0;
    close(failure[1]);
    // The pipe closes without a word when exec succeeds.
    if (error == 0 && read(failure[0], &error, sizeof error) != (ssize_t)sizeof error) error = 0;
    close(failure[0]);
    if (error != 0 && job->counted) hn_marker_end();
  }
  for (int i = 0; i < HN_STREAMS_PER_JOB; ++i)
    if (outputs[i] >= 0) close(outputs[i]);
  if (error != 0) {
    if (job->pid > 0) waitpid(job->pid, NULL, 0);
    job->pid = 0;
  }
  return error;
}

static void start_in_slot(struct hn_jobs* jobs, struct hn_job* job) {
  char path[HN_PATH_MAX];
  static char directory[HN_PATH_MAX];
  job_path(path, sizeof path, job->name, "argv");
  char** argv = hn_read_strings(path);
  job_path(path, sizeof path, job->name, "env");
  char** env = argv != NULL ? hn_read_strings(path) : NULL;
  job_path(path, sizeof path, job->name, "cwd");
  if (argv == NULL || argv[0] == NULL || env == NULL ||
      hn_read_file(path, directory, sizeof directory) < 0) {
    hn_tell(jobs->control, "failed %s EIO the job's files are not in the session", job->name);
    return;
  }
  job_path(path, sizeof path, job->name, "outputs");
  job->outputs = hn_read_strings(path);
  const struct hn_program program = {directory, argv, env, jobs->clock, jobs->samples};
  const bool covered = hn_outputs_open(job);
  int error = covered ? launch(job, &program) : errno;
  if (error == 0) {
    hn_watch_open(&job->watch, job->name);
    hn_tell(jobs->control, "started %s %d", job->name, job->pid);
    ask_for_input(job, jobs->control);
  } else {
    hn_jobs_relay(jobs);
    close_streams(job);
    close_input(job, jobs->control);
    hn_outputs_close(job, jobs->control);
    hn_tell(jobs->control, "failed %s %s %s%s", job->name, hn_errno_name(error),
            covered ? "" : "its output's folder cannot be covered: ", strerror(error));
  }
  hn_free_strings(argv);
  hn_free_strings(env);
}

void hn_job_start(struct hn_jobs* jobs, const char* name) {
  if (jobs->ran_before && running_jobs(jobs) == 0) forget_host_files();
  jobs->ran_before = true;
  for (int i = 0; i < HN_JOBS_MAX; ++i) {
    struct hn_job* job = &jobs->slots[i];
    if (job->pid != 0) continue;
    snprintf(job->name, sizeof job->name, "%s", name);
    start_in_slot(jobs, job);
    return;
  }
  hn_tell(jobs->control, "failed %s EAGAIN too many jobs at once", name);
}

void hn_job_kill(struct hn_jobs* jobs, const char* name, int signal) {
  struct hn_job* job = find_job(jobs, name);
  if (job != NULL) kill(-job->pid, signal);
}

void hn_job_input(struct hn_jobs* jobs, const char* name, long size) {
  struct hn_job* job = find_job(jobs, name);
  if (job != NULL) take_input(job, jobs->control, size);
}

static void write_stream(struct hn_jobs* jobs, struct hn_job* job, int index, const char* data,
                         size_t size) {
  struct hn_stream* stream = &job->streams[index];
  while (size > 0 && !stream->lost) {
    ssize_t written = write(stream->file, data, size);
    if (written > 0) {
      data += written;
      size -= (size_t)written;
    } else if (written < 0 && errno != EINTR) {
      stream->lost = true;
      hn_tell(jobs->control, "lost %s %s %s", job->name, stream_names[index], hn_errno_name(errno));
    }
  }
}

// One read takes all that a pipe can hold, so a job that never stops writing cannot keep the
// others, or the driver, waiting, and nothing is left of a job that has ended.
static void relay_stream(struct hn_jobs* jobs, struct hn_job* job, int index) {
  static char buffer[PIPE_BYTES];
  struct hn_stream* stream = &job->streams[index];
  if (stream->pipe < 0) return;
  ssize_t got;
  do {
    got = read(stream->pipe, buffer, sizeof buffer);
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    write_stream(jobs, job, index, buffer, (size_t)got);
  } else if (got == 0 || errno != EAGAIN) {
    close(stream->pipe);
    stream->pipe = -1;
  }
}

void hn_jobs_relay(struct hn_jobs* jobs) {
  for (int i = 0; i < HN_JOBS_MAX; ++i) {
    for (int index = 0; index < HN_STREAMS_PER_JOB; ++index)
      relay_stream(jobs, &jobs->slots[i], index);
    feed_input(&jobs->slots[i], jobs->control);
  }
}

nfds_t hn_jobs_polls(const struct hn_jobs* jobs, struct pollfd* polls) {
  nfds_t count = 0;
  for (int i = 0; i < HN_JOBS_MAX; ++i) {
    const struct hn_job* job = &jobs->slots[i];
    if (job->pid == 0) continue;
    for (int index = 0; index < HN_STREAMS_PER_JOB; ++index)
      if (job->streams[index].pipe >= 0)
        polls[count++] = (struct pollfd){.fd = job->streams[index].pipe, .events = POLLIN};
    if (job->input.chunk >= 0)
      polls[count++] = (struct pollfd){.fd = job->input.pipe, .events = POLLOUT};
  }
  return count;
}

int hn_jobs_patience_ms(const struct hn_jobs* jobs) {
  int least = -1;
  for (int i = 0; i < HN_JOBS_MAX; ++i) {
    const int wait = hn_watch_wait_ms(&jobs->slots[i].watch);
    if (wait >= 0 && (least < 0 || wait < least)) least = wait;
  }
  return least;
}

void hn_jobs_watch(struct hn_jobs* jobs) {
  for (int i = 0; i < HN_JOBS_MAX; ++i) hn_watch_look(&jobs->slots[i].watch);
}

static void finish_job(struct hn_jobs* jobs, struct hn_job* job, int status) {
  long ran_ms = hn_uptime_ms() - job->started_ms;
  if (job->counted) hn_marker_end();
  // The job is over when its leader is; what it left running would disturb the next one.
  const bool last = running_jobs(jobs) == 1;
  kill(last ? -1 : -job->pid, SIGKILL);
  // One that was killed may have left its region open, which is this job's and not the next one's.
  if (last) hn_marker_end_any();
  hn_watch_close(&job->watch);
  hn_jobs_relay(jobs);
  close_streams(job);
  close_input(job, jobs->control);
  hn_outputs_close(job, jobs->control);
  if (WIFSIGNALED(status))
    hn_tell(jobs->control, "signalled %s %d %ld", job->name, WTERMSIG(status), ran_ms);
  else
    hn_tell(jobs->control, "exited %s %d %ld", job->name, WEXITSTATUS(status), ran_ms);
  job->pid = 0;
}

void hn_jobs_reap(struct hn_jobs* jobs) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    for (int i = 0; i < HN_JOBS_MAX; ++i)
      if (jobs->slots[i].pid == pid) finish_job(jobs, &jobs->slots[i], status);
}
