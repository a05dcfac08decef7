// A process with memory on known nodes for test_where.py. It prints its regions, one a line, then
// "ready"; on SIGUSR1 it prints the node of each page of the region "early", as the kernel tells
// it.
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096UL
#define EARLY_PAGES 256UL

static char* map(unsigned long bytes, int flags) {
  char* address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  return address == MAP_FAILED ? NULL : address;
}

// The mask is that of nodes, a bit each.
static void set_policy(char* address, unsigned long bytes, int mode, unsigned long mask) {
  if (syscall(SYS_mbind, address, bytes, mode, &mask, 65UL, 0) != 0) perror("mbind");
}

static void say(const char* name, char* address, unsigned long bytes) {
  printf("%s %lx %lu\n", name, (unsigned long)address, bytes);
}

static void* wait_forever(void* unused) {
  (void)unused;
  for (;;) pause();
}

static void print_nodes(char* first) {
  void* pages[EARLY_PAGES];
  int status[EARLY_PAGES];
  for (unsigned long i = 0; i < EARLY_PAGES; ++i) pages[i] = first + i * PAGE;
  if (syscall(SYS_move_pages, 0, EARLY_PAGES, pages, NULL, status, 0) != 0) perror("move_pages");
  printf("nodes");
  for (unsigned long i = 0; i < EARLY_PAGES; ++i) printf(" %d", status[i]);
  printf("\n");
  fflush(stdout);
}

int main(void) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  sigprocmask(SIG_BLOCK, &wanted, NULL);

  char* bound = map(64 * PAGE, MAP_PRIVATE);
  set_policy(bound, 64 * PAGE, MPOL_BIND, 1UL << 2);
  memset(bound, 1, 64 * PAGE);
  say("bound", bound, 64 * PAGE);

  char* early = map(EARLY_PAGES * PAGE, MAP_PRIVATE);
  memset(early, 1, EARLY_PAGES * PAGE);  // Touched before its policy is set.
  set_policy(early, EARLY_PAGES * PAGE, MPOL_BIND, 1UL << 3);
  say("early", early, EARLY_PAGES * PAGE);

  char* spread = map(128 * PAGE, MAP_PRIVATE);
  set_policy(spread, 128 * PAGE, MPOL_INTERLEAVE, 15UL);
  memset(spread, 1, 128 * PAGE);
  say("spread", spread, 128 * PAGE);

  char* shared = map(32 * PAGE, MAP_SHARED);
  set_policy(shared, 32 * PAGE, MPOL_PREFERRED, 1UL << 1);
  memset(shared, 1, 32 * PAGE);
  say("shared", shared, 32 * PAGE);

  const unsigned long huge = 2UL << 20;
  char* transparent = map(5 * huge, MAP_PRIVATE);
  transparent = (char*)(((unsigned long)transparent + huge - 1) / huge * huge);
  set_policy(transparent, 4 * huge, MPOL_BIND, 1UL);
  madvise(transparent, 4 * huge, MADV_HUGEPAGE);
  memset(transparent, 1, 4 * huge);
  say("transparent", transparent, 4 * huge);

  char* reserved = map(2 * huge, MAP_PRIVATE | MAP_HUGETLB);
  if (reserved != NULL) {
    set_policy(reserved, 2 * huge, MPOL_BIND, 1UL << 1);
    memset(reserved, 1, 2 * huge);
    say("reserved", reserved, 2 * huge);
  }

  char* forked = map(16 * PAGE, MAP_PRIVATE);
  set_policy(forked, 16 * PAGE, MPOL_BIND, 1UL << 2);
  memset(forked, 1, 16 * PAGE);
  say("forked", forked, 16 * PAGE);
  fflush(stdout);
  if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    munmap(bound, 64 * PAGE);
    munmap(early, EARLY_PAGES * PAGE);
    munmap(spread, 128 * PAGE);
    munmap(shared, 32 * PAGE);
    munmap(transparent, 4 * huge);
    if (reserved != NULL) munmap(reserved, 2 * huge);
    wait_forever(NULL);
  }

  pthread_t thread;
  pthread_create(&thread, NULL, wait_forever, NULL);
  pthread_setname_np(thread, "odd) name\n");
  usleep(100000);
  printf("ready\n");
  fflush(stdout);
  for (int signal_number = 0; sigwait(&wanted, &signal_number) == 0;) print_nodes(early);
}
