// The lab's clock: shared memory behind a PCI device, in which the host writes the modelled time.
#include "guest.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
  int file = open(path, O_WRONLY | O_CLOEXEC);
  bool done = file >= 0 && write(file, "1", 1) == 1;
  if (file >= 0) close(file);
  return done;
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
