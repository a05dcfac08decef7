// Files that a job writes for the host.
#pragma once

#include "jobs.h"

// Lets the job write files for the host, at the paths in job->outputs. False with errno.
bool hn_outputs_open(struct hn_job* job);

// Puts what the job wrote there into the session, as output.NUMBER, and takes back what
// hn_outputs_open() did. Tells the driver what cannot be kept.
void hn_outputs_close(struct hn_job* job, int control);
