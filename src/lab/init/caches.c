// The machine's caches in the guest's /sys.
//
// QEMU tells the kernel of caches of its own, whatever the machine has, and what the kernel tells
// programs comes from there. The driver writes down what it should tell; each CPU's folder of that
// is put in the place of the kernel's.
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define TREE "/caches"

static void make_file(const char* path, const char* value) {
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
  if (file < 0 || dprintf(file, "%s\n", value) < 0) hn_die("write", path);
  close(file);
}

// One line: a folder, with a slash at its end, or a file and what it says, after a blank.
static void make_entry(char* line) {
  char path[256];
  char* value = strchr(line, ' ');
  if (value != NULL) *value++ = '\0';
  snprintf(path, sizeof path, TREE "/%s", line);
  if (value != NULL)
    make_file(path, value);
  else if (mkdir(path, 0755) != 0)
    hn_die("make", path);
}

// A kernel that found no caches in QEMU has no place for these.
static void put_in_place(int cpu) {
  char tree[64];
  char place[128];
  snprintf(tree, sizeof tree, TREE "/cpu%d", cpu);
  snprintf(place, sizeof place, HN_ROOT "/sys/devices/system/cpu/cpu%d/cache", cpu);
  if (mount(tree, place, NULL, MS_BIND, NULL) != 0 && errno != ENOENT) hn_die("mount", place);
}

void hn_show_caches(void) {
  FILE* lines = fopen(HN_SESSION "/caches", "re");
  if (lines == NULL) return;
  mkdir(TREE, 0755);
  char* line = NULL;
  size_t size = 0;
  for (ssize_t length; (length = getline(&line, &size, lines)) > 0;) {
    line[length - 1] = '\0';
    make_entry(line);
  }
  free(line);
  fclose(lines);
  for (int cpu = 0; access(TREE "/cpu0", F_OK) == 0 && cpu < sysconf(_SC_NPROCESSORS_CONF); ++cpu)
    put_in_place(cpu);
}
