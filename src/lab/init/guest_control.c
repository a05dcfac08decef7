// The wire to the driver: one virtio-serial port, newline-terminated ASCII both ways.
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PORT_NAME "homenode.ctl"

static bool port_is_ours(const char* port) {
  char path[512];
  char name[64];
  snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", port);
  return hn_read_file(path, name, sizeof name) > 0 &&
         strncmp(name, PORT_NAME, strlen(PORT_NAME)) == 0;
}

static int find_port(void) {
  DIR* ports = opendir("/sys/class/virtio-ports");
  if (ports == NULL) return -1;
  int control = -1;
  for (struct dirent* entry; control < 0 && (entry = readdir(ports)) != NULL;) {
    if (entry->d_name[0] == '.' || !port_is_ours(entry->d_name)) continue;
    char path[512];
    snprintf(path, sizeof path, "/dev/%s", entry->d_name);
    control = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  closedir(ports);
  return control;
}

int hn_open_control(void) {
  // The kernel announces ports from a work queue, so they appear a moment after their device.
  for (int step = 0; step < 10000; ++step) {
    int control = find_port();
    if (control >= 0) return control;
    usleep(1000);
  }
  errno = ENODEV;
  hn_die("open the port", PORT_NAME);
}

void hn_tell(int control, const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int wanted = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  size_t length = wanted < (int)sizeof line - 1 ? (size_t)wanted : sizeof line - 2;
  line[length++] = '\n';
  for (size_t sent = 0; sent < length;) {
    ssize_t written = write(control, line + sent, length - sent);
    if (written > 0) {
      sent += (size_t)written;
    } else if (written < 0 && errno == EAGAIN) {
      struct pollfd port = {.fd = control, .events = POLLOUT};
      poll(&port, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      hn_stop();
    }
  }
}
