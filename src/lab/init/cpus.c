// Starts the CPUs but the first, which the kernel was told to leave alone.
//
// While only one runs, all that the kernel does to its own page tables and to a module's code need
// not wait for the others: under emulation, with more CPUs than the host has, that is most of a
// boot.
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void hn_start_cpus(void) {
  for (int number = 1;; ++number) {
    char path[64];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", number);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return;
    if (file < 0 || write(file, "1", 1) != 1) hn_die("start the CPU by", path);
    close(file);
  }
}
