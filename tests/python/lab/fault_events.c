// Opens and closes the page-fault event of its own, 200 times, while seven threads fault pages in.
#include <linux/perf_event.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 7, TIMES = 200, PAGES = 64, PAGE = 4096 };

static void* fault(void* unused) {
  for (;;) {
    char* pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return unused;
    for (int i = 0; i < PAGES; ++i) pages[i * PAGE] = 1;
    munmap(pages, PAGES * PAGE);
  }
}

int main(void) {
  for (int i = 0; i < THREADS; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, fault, NULL) != 0) return 1;
  }
  struct perf_event_attr faults = {
      .type = PERF_TYPE_SOFTWARE, .size = sizeof faults, .config = PERF_COUNT_SW_PAGE_FAULTS};
  for (int i = 0; i < TIMES; ++i) {
    int event = (int)syscall(SYS_perf_event_open, &faults, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0) return 1;
    usleep(100);
    close(event);
    usleep(500);
  }
  puts("done");
}
