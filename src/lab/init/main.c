// PID 1 of the lab's guest: serves the driver until it goes away.
//
// What takes long and is the same for every lab of a machine comes first; then it says `booted`.
// Here the driver may take a snapshot, from which later guests start. At the word `go` the guest
// gets what is this lab's own (the time, the host's files, its name) and says `ready`. The host's
// files cannot come earlier: QEMU takes no snapshot of a guest that has mounted them. Of the
// session, only what is part of the snapshot's key is read before.
#include "guest.h"
#include "jobs.h"

#include <errno.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void name_the_machine(void) {
  char name[64];
  if (hn_read_file(HN_SESSION "/machine", name, sizeof name) > 0) sethostname(name, strlen(name));
}

// Many parallel programs talk to themselves over the loopback interface.
static void bring_loopback_up(void) {
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq request = {.ifr_name = "lo"};
  if (any < 0) return;
  if (ioctl(any, SIOCGIFFLAGS, &request) == 0) {
    request.ifr_flags |= IFF_UP;
    ioctl(any, SIOCSIFFLAGS, &request);
  }
  close(any);
}

static int open_child_signals(void) {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL);
  int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) hn_die("open", "a signalfd");
  return signals;
}

static void say_booted(const struct hn_jobs* jobs) {
  hn_tell(jobs->control, "booted %ld %ld", hn_uptime_ms(), sysconf(_SC_NPROCESSORS_ONLN));
}

// The driver puts the file into the session when a clock is to be had from the plugin.
static const char* clock_of_session(void) {
  static char path[HN_PATH_MAX];
  return access(HN_SESSION "/clock", F_OK) == 0 && hn_find_clock(path, sizeof path) ? path : NULL;
}

static void go(struct hn_jobs* jobs, const char* time, const char* seed) {
  hn_set_time(time);
  hn_add_randomness(seed);
  hn_mount_session();
  hn_mount_job_root();
  hn_set_figures();
  name_the_machine();
  hn_tell_kernel_functions();
  jobs->clock = clock_of_session();
  jobs->samples = hn_show_samples();
  hn_tell(jobs->control, "ready %ld", hn_uptime_ms());
}

static void obey(struct hn_jobs* jobs, char* line) {
  char* word = strsep(&line, " ");
  char* first = strsep(&line, " ");
  if (strcmp(word, "run") == 0 && first != NULL)
    hn_job_start(jobs, first);
  else if (strcmp(word, "kill") == 0 && first != NULL && line != NULL)
    hn_job_kill(jobs, first, atoi(line));
  else if (strcmp(word, "input") == 0 && first != NULL && line != NULL)
    hn_job_input(jobs, first, atol(line));
  else if (strcmp(word, "hello") == 0)
    say_booted(jobs);
  else if (strcmp(word, "go") == 0 && first != NULL && line != NULL)
    go(jobs, first, line);
  else if (strcmp(word, "poweroff") == 0)
    hn_stop();
}

// Reads what the driver sent and obeys each whole line; the rest of a line waits for the next call.
static void hear(struct hn_jobs* jobs) {
  static char buffer[4096];
  static size_t used;
  ssize_t got = read(jobs->control, buffer + used, sizeof buffer - 1 - used);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) hn_stop();
  if (got < 0) return;
  used += (size_t)got;
  buffer[used] = '\0';
  char* line = buffer;
  for (char* end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    obey(jobs, line);
  }
  used -= (size_t)(line - buffer);
  memmove(buffer, line, used);
}

static _Noreturn void serve(struct hn_jobs* jobs, int signals) {
  enum { OWN = 3 };
  struct pollfd polls[OWN + HN_POLLS_MAX];
  const int pressure = hn_open_pressure();
  for (;;) {
    polls[0] = (struct pollfd){.fd = jobs->control, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = signals, .events = POLLIN};
    polls[2] = (struct pollfd){.fd = pressure, .events = POLLPRI};
    nfds_t count = OWN + hn_jobs_polls(jobs, polls + OWN);
    if (poll(polls, count, hn_jobs_patience_ms(jobs)) < 0) continue;
    hn_jobs_relay(jobs);
    struct signalfd_siginfo ignored;
    while (read(signals, &ignored, sizeof ignored) > 0) continue;
    hn_jobs_reap(jobs);
    hn_jobs_watch(jobs);
    if (polls[2].revents != 0) hn_end_thrashing();
    if (polls[0].revents != 0) hear(jobs);
  }
}

int main(void) {
  static struct hn_jobs jobs;
  hn_mount_guest();
  hn_load_modules();
  // While one CPU runs, before the others come and all share the host's.
  hn_find_kernel_functions();
  hn_keep_fault_event();
  hn_mount_session();
  hn_make_caches();
  hn_unmount_session();
  hn_start_cpus();
  hn_show_caches();
  bring_loopback_up();
  int signals = open_child_signals();
  hn_jobs_init(&jobs, hn_open_control());
  say_booted(&jobs);
  serve(&jobs, signals);
}
