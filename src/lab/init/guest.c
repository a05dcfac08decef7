// Small services that every part of the guest's PID 1 uses: dying, reading files, naming errors.
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <time.h>
#include <unistd.h>

void hn_stop(void) {
  // The driver starts QEMU with -no-reboot, so this ends QEMU; it is faster than powering off.
  reboot(RB_AUTOBOOT);
  for (;;) pause();
}

void hn_die(const char* tried, const char* what) {
  dprintf(STDERR_FILENO, "homenode-lab-init: cannot %s %s: %s\n", tried, what, strerror(errno));
  hn_stop();
}

long hn_read_file(const char* path, char* buffer, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  size_t used = 0;
  while (used < size - 1) {
    ssize_t got = read(file, buffer + used, size - 1 - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      int error = errno;
      close(file);
      errno = error;
      return -1;
    }
    if (got == 0) break;
    used += (size_t)got;
  }
  close(file);
  buffer[used] = '\0';
  return (long)used;
}

int hn_open_with(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -1;
  if (write(file, text, strlen(text)) == (ssize_t)strlen(text)) return file;
  const int error = errno;
  close(file);
  errno = error;
  return -1;
}

bool hn_write_file(const char* path, const char* text) {
  const int file = hn_open_with(path, text);
  if (file < 0) return false;
  close(file);
  return true;
}

const char* hn_errno_name(int number) {
  static char other[16];
  const char* name = strerrorname_np(number);
  if (name != NULL) return name;
  snprintf(other, sizeof other, "E%d", number);
  return other;
}

long hn_uptime_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
