/* Preloaded before the agent, this refuses one of its system calls: the agent makes them through
 * libc's syscall(), which stands here too. Each of them is written to the file HOMENODE_TEST_CALLS
 * (a descriptor), a line "NUMBER HAS_FOURTH_ARGUMENT"; HOMENODE_TEST_REFUSE is "NTH ERRNO". Calls
 * of others than homenode's libraries pass. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long (*real)(long, ...);
static int calls_file = -1;
static unsigned long refused_one, refused_errno, seen;

/* The value behind "NAME=", or NULL. The agent begins before libc knows the environment. */
static const char* variable(const char* text, const char* end, const char* name) {
  for (; text < end; text += strlen(text) + 1) {
    if (strncmp(text, name, strlen(name)) == 0) return text + strlen(name);
  }
  return NULL;
}

static void begin(void) {
  static char text[1 << 17];
  const int file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  size_t bytes = 0;
  for (ssize_t got = 1; got > 0 && bytes < sizeof text - 1; bytes += (size_t)got) {
    got = read(file, text + bytes, sizeof text - 1 - bytes);
    if (got < 0) _exit(98);
  }
  close(file);
  const char* const calls = variable(text, text + bytes, "HOMENODE_TEST_CALLS=");
  const char* const refuse = variable(text, text + bytes, "HOMENODE_TEST_REFUSE=");
  if (calls != NULL) calls_file = atoi(calls);
  if (refuse != NULL) sscanf(refuse, "%lu %lu", &refused_one, &refused_errno);
  *(void**)&real = dlsym(RTLD_NEXT, "syscall");
}

long syscall(long number, ...) {
  long words[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) words[i] = va_arg(list, long);
  va_end(list);
  if (real == NULL) begin();
  Dl_info caller;
  if (dladdr(__builtin_return_address(0), &caller) != 0 &&
      strstr(caller.dli_fname, "libhomenode-") != NULL) {
    char line[64];
    const int bytes = snprintf(line, sizeof line, "%ld %d\n", number, words[3] != 0);
    if (calls_file >= 0 && write(calls_file, line, (size_t)bytes) < 0) _exit(99);
    if (__atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST) == refused_one) {
      errno = (int)refused_errno;
      return -1;
    }
  }
  return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
