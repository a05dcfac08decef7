// A job's standard input: what the driver sends, passed on as fast as the job reads it.
//
// The guest asks for a chunk (`wants`). The driver puts one into the session and sends its size, 0
// at the end of the input. So neither side holds more than a chunk, however long the input is.
#include "jobs.h"

#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void stdin_path(char* path, size_t size, const struct hn_job* job) {
  snprintf(path, size, HN_SESSION "/%s/stdin", job->name);
}

static void close_one(int* file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

bool hn_input_open(struct hn_job* job) {
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

void hn_input_ask(const struct hn_job* job, int control) {
  if (job->input.pipe >= 0) hn_tell(control, "wants %s", job->name);
}

void hn_input_take(struct hn_job* job, int control, long size) {
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
  hn_input_feed(job, control);
}

void hn_input_feed(struct hn_job* job, int control) {
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
  hn_input_ask(job, control);
}

void hn_input_close(struct hn_job* job, int control) {
  struct hn_input* input = &job->input;
  int in_pipe = 0;
  if (input->read_end >= 0 && ioctl(input->read_end, FIONREAD, &in_pipe) == 0)
    hn_tell(control, "read %s %ld", job->name, input->taken - input->left - in_pipe);
  close_one(&input->chunk);
  close_one(&input->pipe);
  close_one(&input->read_end);
  *input = HN_NO_INPUT;
}
