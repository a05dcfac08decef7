// The guest's file systems: its own, the session's, and the root that jobs are confined to.
#include "guest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

// Devices behind modules appear a moment after the module is loaded; 10 s is far beyond any delay.
enum { DEVICE_WAIT_STEPS = 5000, DEVICE_WAIT_STEP_US = 2000 };

#define SAMPLES "/run/homenode-lab-samples"  // As jobs see them.
#define P9_OPTIONS "trans=virtio,version=9p2000.L,msize=512000,"

static void mount_or_die(const char* source, const char* target, const char* type,
                         unsigned long flags, const char* options) {
  if (mount(source, target, type, flags, options) != 0) hn_die("mount", target);
}

static void symlink_or_die(const char* target, const char* link) {
  if (symlink(target, link) != 0 && errno != EEXIST) hn_die("link", link);
}

static void mount_9p(const char* tag, const char* target, unsigned long flags,
                     const char* options) {
  for (int step = 0; step < DEVICE_WAIT_STEPS; ++step) {
    if (mount(tag, target, "9p", flags, options) == 0) return;
    if (errno != ENOENT) break;
    usleep(DEVICE_WAIT_STEP_US);
  }
  hn_die("mount the host's files at", target);
}

// Mounts a file system under the jobs' root, if the host has a directory of that name there.
static void mount_in_root(const char* where, const char* type, unsigned long flags,
                          const char* options) {
  char target[HN_PATH_MAX];
  snprintf(target, sizeof target, HN_ROOT "%s", where);
  if (mount(type, target, type, flags, options) != 0 && errno != ENOENT) hn_die("mount", target);
}

void hn_mount_guest(void) {
  mkdir("/proc", 0755);
  mkdir("/sys", 0755);
  mkdir("/dev", 0755);
  mkdir("/run", 0755);
  mkdir("/tmp", 0755);
  mkdir(HN_ROOT, 0755);
  mkdir(HN_SESSION, 0700);
  mount_or_die("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
  mount_or_die("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
  if (mount("devtmpfs", "/dev", "devtmpfs", MS_NOSUID, "mode=0755") != 0 && errno != EBUSY)
    hn_die("mount", "/dev");
}

// A fresh /tmp that still shows the programs which lie in the host's /tmp.
static void mount_tmp(void) {
  struct stat host_tmp;
  if (stat(HN_ROOT "/tmp", &host_tmp) != 0) return;
  mount_or_die("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
  mkdir("/tmp/upper", 0755);
  mkdir("/tmp/work", 0755);
  chmod("/tmp/upper", 01777);
  mount_or_die("overlay", HN_ROOT "/tmp", "overlay", MS_NOSUID | MS_NODEV,
               "lowerdir=" HN_ROOT "/tmp,upperdir=/tmp/upper,workdir=/tmp/work");
}

// What udev would add to the kernel's own device files.
static void link_standard_streams(void) {
  symlink_or_die("/proc/self/fd", HN_ROOT "/dev/fd");
  symlink_or_die("/proc/self/fd/0", HN_ROOT "/dev/stdin");
  symlink_or_die("/proc/self/fd/1", HN_ROOT "/dev/stdout");
  symlink_or_die("/proc/self/fd/2", HN_ROOT "/dev/stderr");
}

void hn_make_folders(char* path) {
  for (char* slash = path + 1; (slash = strchr(slash, '/')) != NULL; ++slash) {
    *slash = '\0';
    mkdir(path, 0755);
    *slash = '/';
  }
  mkdir(path, 0755);
}

static void mount_results(void) {
  char path[HN_PATH_MAX / 2];
  char target[HN_PATH_MAX];
  if (hn_read_file(HN_SESSION "/results", path, sizeof path) <= 0) return;
  snprintf(target, sizeof target, HN_ROOT "%s", path);
  // Where a fresh tmpfs hides the host's directory of that name, make the way to it again.
  hn_make_folders(target);
  mount_9p("hn_results", target, MS_NOSUID | MS_NODEV, P9_OPTIONS "cache=none");
}

const char* hn_show_samples(void) {
  if (access(HN_SESSION "/samples", F_OK) != 0) return NULL;
  if (mknod(HN_ROOT SAMPLES, S_IFREG | 0444, 0) != 0 ||
      mount(HN_SESSION "/samples", HN_ROOT SAMPLES, NULL, MS_BIND, NULL) != 0)
    hn_die("show jobs", "the session's samples");
  return SAMPLES;
}

void hn_mount_session(void) {
  mount_9p("hn_session", HN_SESSION, MS_NOSUID | MS_NODEV, P9_OPTIONS "cache=none");
}

void hn_unmount_session(void) {
  if (umount(HN_SESSION) != 0) hn_die("unmount", HN_SESSION);
}

void hn_mount_job_root(void) {
  mount_9p("hn_root", HN_ROOT, MS_RDONLY, P9_OPTIONS "cache=loose");
  mount_in_root("/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
  // With the caches that were put into it.
  if (mount("/sys", HN_ROOT "/sys", NULL, MS_BIND | MS_REC, NULL) != 0 && errno != ENOENT)
    hn_die("mount", HN_ROOT "/sys");
  // Settings of the scheduler; a kernel may be built without.
  mount("debugfs", HN_ROOT "/sys/kernel/debug", "debugfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
  mount_in_root("/sys/fs/cgroup", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
  mount_in_root("/dev", "devtmpfs", MS_NOSUID, "mode=0755");
  mkdir(HN_ROOT "/dev/shm", 01777);
  mkdir(HN_ROOT "/dev/pts", 0755);
  mount_in_root("/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
  mount_in_root("/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "mode=0620,ptmxmode=0666");
  mount_in_root("/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
  mount_in_root("/var/log", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");  // Daemons insist on it.
  link_standard_streams();
  mount_tmp();
  mount_results();
}
