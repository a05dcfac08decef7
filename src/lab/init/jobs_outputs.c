// Files that a job writes for the host, whose files are read-only to it otherwise.
//
// The folder of each is covered with one that can be written to, so that programs need not know: a
// file may be written beside its place and renamed into it. What a job leaves at those paths goes
// into the session, from where the driver takes it.
#include "jobs.h"

#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define COVERS "/outputs"

static size_t folder_length(const char* path) {
  return (size_t)(strrchr(path, '/') - path);
}

static bool is_below(const char* path, const char* folder, size_t length) {
  return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// The number of the output whose folder is the widest that this one lies below: its folder's cover
// is that of both. Covers in covers would soon be deeper than the kernel stacks them.
static int cover_of(char* const* outputs, int number) {
  int widest = number;
  for (int i = 0; outputs[i] != NULL; ++i) {
    const size_t length = folder_length(outputs[i]);
    const size_t best = folder_length(outputs[widest]);
    if (is_below(outputs[number], outputs[i], length) &&
        (length < best || (length == best && i < widest)))
      widest = i;
  }
  return widest;
}

static void cover_path(char* path, size_t size, const struct hn_job* job, int number,
                       const char* below) {
  snprintf(path, size, COVERS "/%s-%d%s", job->name, number, below);
}

static void folder_in_root(char* path, size_t size, const char* output) {
  snprintf(path, size, HN_ROOT "%.*s", (int)folder_length(output), output);
}

// The folder itself is ".", because what names a lower folder has characters with a meaning.
static bool mount_cover(const struct hn_job* job, int number) {
  char tree[HN_PATH_MAX];
  char upper[HN_PATH_MAX];
  char work[HN_PATH_MAX];
  char options[3 * HN_PATH_MAX];
  cover_path(tree, sizeof tree, job, number, "");
  cover_path(upper, sizeof upper, job, number, "/upper");
  cover_path(work, sizeof work, job, number, "/work");
  snprintf(options, sizeof options, "lowerdir=.,upperdir=%s,workdir=%s", upper, work);
  mkdir(COVERS, 0755);
  mkdir(tree, 0755);
  if (mount("tmpfs", tree, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0) return false;
  return mkdir(upper, 0755) == 0 && mkdir(work, 0755) == 0 &&
         mount("overlay", ".", "overlay", MS_NOSUID | MS_NODEV, options) == 0;
}

bool hn_outputs_open(struct hn_job* job) {
  bool done = true;
  for (int i = 0; done && job->outputs != NULL && job->outputs[i] != NULL; ++i) {
    char folder[HN_PATH_MAX];
    if (cover_of(job->outputs, i) != i) continue;
    folder_in_root(folder, sizeof folder, job->outputs[i]);
    hn_make_folders(folder);
    done = chdir(folder) == 0 && mount_cover(job, i);
  }
  const int error = errno;
  if (chdir("/") != 0) done = false;
  errno = error;
  return done;
}

static bool copy(int from, int to) {
  static char buffer[1 << 18];
  for (ssize_t got; (got = read(from, buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno != EINTR) return false;
    for (ssize_t sent = 0; sent < got;) {
      ssize_t written = write(to, buffer + sent, (size_t)(got - sent));
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) sent += written;
    }
  }
  return true;
}

// A file that the job did not write has nothing in the cover, and stays as it is on the host.
static void hand_over(const struct hn_job* job, int number, int control) {
  char path[HN_PATH_MAX];
  const int cover = cover_of(job->outputs, number);
  cover_path(path, sizeof path, job, cover, "/upper");
  const size_t used = strlen(path);
  snprintf(path + used, sizeof path - used, "%s",
           job->outputs[number] + folder_length(job->outputs[cover]));
  int from = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (from < 0) return;
  snprintf(path, sizeof path, HN_SESSION "/%s/output.%d", job->name, number);
  int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (to < 0 || !copy(from, to)) {
    hn_tell(control, "lost %s output %s", job->name, hn_errno_name(errno));
    unlink(path);
  }
  close(from);
  if (to >= 0) close(to);
}

static bool is_output(char* const* outputs, const char* path) {
  for (int i = 0; outputs[i] != NULL; ++i)
    if (strcmp(outputs[i], path) == 0) return true;
  return false;
}

// How many files lie in a folder of a cover that nobody asked for: they are lost with it. `path`
// has room for longer ones; `skipped` is how much of it stands for `folder` on the host.
static int strays_in(char* path, size_t size, size_t skipped, const struct hn_job* job,
                     const char* folder) {
  int found = 0;
  const size_t length = strlen(path);
  DIR* entries = opendir(path);
  for (struct dirent* entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
    char host[HN_PATH_MAX];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(path + length, size - length, "/%s", entry->d_name);
    snprintf(host, sizeof host, "%s%s", folder, path + skipped);
    if (entry->d_type == DT_DIR)
      found += strays_in(path, size, skipped, job, folder);
    else
      found += !is_output(job->outputs, host);
    path[length] = '\0';
  }
  if (entries != NULL) closedir(entries);
  return found;
}

static int strays(const struct hn_job* job, int number) {
  char path[HN_PATH_MAX];
  char folder[HN_PATH_MAX];
  const char* output = job->outputs[number];
  cover_path(path, sizeof path, job, number, "/upper");
  snprintf(folder, sizeof folder, "%.*s", (int)folder_length(output), output);
  return strays_in(path, sizeof path, strlen(path), job, folder);
}

void hn_outputs_close(struct hn_job* job, int control) {
  int lost = 0;
  for (int i = 0; job->outputs != NULL && job->outputs[i] != NULL; ++i) hand_over(job, i, control);
  for (int i = 0; job->outputs != NULL && job->outputs[i] != NULL; ++i) {
    char path[HN_PATH_MAX];
    if (cover_of(job->outputs, i) != i) continue;
    lost += strays(job, i);
    folder_in_root(path, sizeof path, job->outputs[i]);
    umount2(path, MNT_DETACH);
    cover_path(path, sizeof path, job, i, "");
    umount2(path, MNT_DETACH);
  }
  if (lost > 0) hn_tell(control, "strays %s %d", job->name, lost);
  hn_free_strings(job->outputs);
  job->outputs = NULL;
}
