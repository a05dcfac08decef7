// Loads the kernel modules that the driver packed into the initramfs, in the order it wrote down.
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void load_module(const char* path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) hn_die("open the module", path);
  if (syscall(SYS_finit_module, file, "", 0) != 0 && errno != EEXIST)
    hn_die("load the module", path);
  close(file);
}

void hn_load_modules(void) {
  static char list[HN_PATH_MAX];
  if (hn_read_file("/modules", list, sizeof list) < 0) return;
  char* rest = list;
  for (char* path; (path = strsep(&rest, "\n")) != NULL;)
    if (*path != '\0') load_module(path);
}
