// The short life of a job's process between fork and exec.
#include "jobs.h"

#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char** hn_read_strings(const char* path) {
  struct stat info;
  if (stat(path, &info) != 0) return NULL;
  size_t size = (size_t)info.st_size + 1;
  char* text = malloc(size);
  long length = text != NULL ? hn_read_file(path, text, size) : -1;
  if (length < 0) return NULL;
  size_t count = 0;
  for (long i = 0; i < length; ++i) count += text[i] == '\0';
  char** strings = calloc(count + 1, sizeof *strings);
  if (strings == NULL) return NULL;
  for (size_t i = 0; i < count; ++i) {
    strings[i] = text;
    text += strlen(text) + 1;
  }
  return strings;
}

void hn_free_strings(char** strings) {
  if (strings == NULL) return;
  free(strings[0]);
  free(strings);
}

static void reset_signals(void) {
  for (int signal_number = 1; signal_number < NSIG; ++signal_number) signal(signal_number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void enter_directory(const char* directory) {
  if (chdir(directory) == 0) return;
  dprintf(STDERR_FILENO, "homenode-lab: cannot enter %s in the guest (%s); starting in /\n",
          directory, strerror(errno));
  if (chdir("/") != 0) _exit(126);
}

static void set_or_unset(const char* name, const char* value) {
  if (value != NULL)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

// Only the guest knows where its clock and its counts are, so what the host's environment says of
// them is replaced.
static void set_environment(const struct hn_program* program) {
  clearenv();
  environ = program->env;
  set_or_unset("HOMENODE_LAB_CLOCK", program->clock);
  set_or_unset("HOMENODE_LAB_COUNTS", program->samples);
}

void hn_job_become(const struct hn_program* program, int input, const int outputs[2], int failure) {
  int error = 0;
  reset_signals();
  setsid();
  if (input < 0) input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (dup2(input, STDIN_FILENO) < 0 || dup2(outputs[0], STDOUT_FILENO) < 0 ||
      dup2(outputs[1], STDERR_FILENO) < 0 || chroot(HN_ROOT) != 0) {
    error = errno;
  } else {
    umask(022);
    enter_directory(program->directory);
    set_environment(program);
    // Like a shell: PATH is searched, and a text file without #! is given to /bin/sh.
    execvp(program->argv[0], program->argv);
    error = errno;
  }
  ssize_t sent = write(failure, &error, sizeof error);
  _exit(sent == (ssize_t)sizeof error ? 127 : 126);
}
