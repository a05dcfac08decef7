// What a guest cannot know when it wakes up from a snapshot that was taken at some earlier time,
// and shared by other guests: what time it is, and randomness of its own.
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

void hn_set_time(const char* text) {
  char* rest;
  struct timespec now = {.tv_sec = strtoll(text, &rest, 10)};
  if (*rest == '.') now.tv_nsec = strtol(rest + 1, NULL, 10);
  if (clock_settime(CLOCK_REALTIME, &now) != 0) hn_die("set the time to", text);
}

void hn_add_randomness(const char* seed) {
  int file = open("/dev/urandom", O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, seed, strlen(seed)) < 0) hn_die("write to", "/dev/urandom");
  // Without this the kernel would draw from what it had in the snapshot for up to a minute. Kernels
  // before 4.14 do not know it.
  if (ioctl(file, RNDRESEEDCRNG) != 0 && errno != EINVAL && errno != ENODATA)
    hn_die("reseed", "/dev/urandom");
  close(file);
}
