// heap_locked: an allocator in programs that lock their memory, now and in the future, as those do
// that must not wait for a page: each mapping is then memory as a whole, and counts.
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { block_size = 30000, most_blocks = 2000, mib = 1 << 20 };

static char* blocks[most_blocks];

static size_t take(size_t count) {
  for (size_t i = 0; i < count; i++) {
    errno = 0;
    blocks[i] = malloc(block_size);
    if (blocks[i] == NULL) return i;
    memset(blocks[i], 1, block_size);
  }
  return count;
}

static void free_first(size_t count) {
  for (size_t i = 0; i < count; i++) free(blocks[i]);
}

// What is locked is not much more than what the program asks for, however much that is.
static void all_is_memory(void) {
  enum { alone_mib = 10, count = 1000 };
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return;  // Not for us, here.
  free(malloc(100));
  CHECK(resident_mib() <= alone_mib);
  CHECK(take(count) == count);
  const size_t asked_mib = (size_t)count * block_size / mib;
  CHECK(resident_mib() <= alone_mib + asked_mib * 2);
  free_first(count);
}

static void give_up_the_right_to_lock(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  CHECK(syscall(SYS_capget, &header, data) == 0);
  data[0].effective &= ~(1U << CAP_IPC_LOCK);
  CHECK(syscall(SYS_capset, &header, data) == 0);
}

// The usual limit of a process: the program runs, and is refused what goes beyond.
static void eight_mebibytes(void) {
  const struct rlimit limit = {(rlim_t)8 * mib, (rlim_t)8 * mib};
  if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0) return;  // The system has a lower one.
  give_up_the_right_to_lock();
  if (!CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0)) return;
  const size_t count = take(most_blocks);
  CHECK(count >= 10 && count < most_blocks && errno == ENOMEM);
  free_first(count);
  CHECK(take(count / 2) == count / 2);
  free_first(count / 2);
}

int main(int argc, char** argv) {
  static const struct section sections[] = {
      {"all_is_memory", all_is_memory},
      {"eight_mebibytes", eight_mebibytes},
  };
  return run_sections(argc, argv, sections, sizeof sections / sizeof *sections);
}
