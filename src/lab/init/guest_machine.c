// What the lab's machine has and QEMU has no option for: its caches, and a clock of modelled time.
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

// QEMU tells the kernel of caches of its own, whatever the machine has, and what the kernel tells
// programs comes from there. The driver writes down what it should tell; each CPU's folder of that
// is put in the place of the kernel's. All files of one figure (a cache's size, its ways) are links
// to one file, so that a guest from a snapshot gets the figures of its own machine by a few writes.
#define TREE "/caches"

static void write_value(const char* path, const char* value) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444);
  if (file < 0 || dprintf(file, "%s\n", value) < 0) hn_die("write", path);
  close(file);
}

// One line: a folder, with a slash at its end, or a file and what it says, after a blank: a value,
// or "=" and the file of the same figure, nothing for the first of them.
static void make_entry(char* line) {
  char path[256];
  char first[256];
  char* value = strchr(line, ' ');
  if (value != NULL) *value++ = '\0';
  snprintf(path, sizeof path, TREE "/%s", line);
  if (value == NULL) {
    if (mkdir(path, 0755) != 0) hn_die("make", path);
  } else if (value[0] == '=' && value[1] != '\0') {
    snprintf(first, sizeof first, TREE "/%s", value + 1);
    if (link(first, path) != 0) hn_die("link", path);
  } else {
    write_value(path, value);
  }
}

static void make_entries(const char* list) {
  FILE* lines = fopen(list, "re");
  if (lines == NULL) return;
  char* line = NULL;
  size_t size = 0;
  for (ssize_t length; (length = getline(&line, &size, lines)) > 0;) {
    line[length - 1] = '\0';
    make_entry(line);
  }
  free(line);
  fclose(lines);
}

void hn_make_caches(void) {
  mkdir(TREE, 0755);
  make_entries(HN_SESSION "/caches");
}

// A kernel that found no caches in QEMU has no place for these.
static void put_in_place(int cpu) {
  char tree[64];
  char place[128];
  snprintf(tree, sizeof tree, TREE "/cpu%d", cpu);
  snprintf(place, sizeof place, "/sys/devices/system/cpu/cpu%d/cache", cpu);
  if (mount(tree, place, NULL, MS_BIND, NULL) != 0 && errno != ENOENT) hn_die("mount", place);
}

void hn_show_caches(void) {
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); ++cpu) put_in_place(cpu);
}

void hn_set_figures(void) {
  make_entries(HN_SESSION "/figures");
}

// The clock is shared memory behind a PCI device, in which the host writes the modelled time.
// QEMU's ivshmem device, of which the lab has this one. Its third resource is the shared memory.
enum { CLOCK_VENDOR = 0x1af4, CLOCK_DEVICE = 0x1110 };

#define PCI_DEVICES "/sys/bus/pci/devices/"

static long read_attribute(const char* device, const char* name) {
  char path[512];
  char text[32];
  snprintf(path, sizeof path, PCI_DEVICES "%s/%s", device, name);
  return hn_read_file(path, text, sizeof text) > 0 ? strtol(text, NULL, 16) : -1;
}

// Firmware and kernel leave a device that has no driver switched off; its memory then reads as -1.
static bool switch_on(const char* device) {
  char path[512];
  snprintf(path, sizeof path, PCI_DEVICES "%s/enable", device);
  return hn_write_file(path, "1");
}

bool hn_find_clock(char* path, size_t size) {
  DIR* devices = opendir(PCI_DEVICES);
  bool found = false;
  for (struct dirent* entry; devices != NULL && !found && (entry = readdir(devices)) != NULL;) {
    const char* device = entry->d_name;
    if (device[0] == '.' || read_attribute(device, "vendor") != CLOCK_VENDOR ||
        read_attribute(device, "device") != CLOCK_DEVICE)
      continue;
    int length = snprintf(path, size, PCI_DEVICES "%s/resource2", device);
    found = length > 0 && (size_t)length < size && switch_on(device);
  }
  if (devices != NULL) closedir(devices);
  return found;
}
