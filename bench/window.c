/* A region of interest from outside: `window SECONDS` has the lab count all programs for so long;
   `window end` ends the region that a program has begun itself, so that it runs uncounted. */
#include "base/marker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: window SECONDS|end\n");
    return 2;
  }
  if (strcmp(argv[1], "end") == 0) {
    hn_marker_end_any();
    return 0;
  }
  const double seconds = atof(argv[1]);
  const struct timespec time = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
  hn_marker_begin_all();
  nanosleep(&time, NULL);
  hn_marker_end();
  return 0;
}
