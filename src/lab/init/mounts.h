// The guest's file systems: its own, the session's, and the root that jobs are confined to.
#pragma once

// Mounts what the guest itself needs to talk with the driver: proc, sys, devtmpfs and the session.
void hn_mount_guest(void);

// Mounts the jobs' root: the host's files read-only with fresh /tmp, /run, /dev/shm over them, and
// the results directory, if the session's file "results" names one, at its own path.
void hn_mount_job_root(void);

// Makes the folders on the way to `path` and itself, where they are missing.
void hn_make_folders(char* path);
