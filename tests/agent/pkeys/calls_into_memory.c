// System calls into memory that a sampler arms: each must succeed as it does without one. Threads
// use pages of their own, so that no result depends on another thread. Prints how many calls.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { page = 4096, pages_each = 64, threads = 3, calls = 10 };

static double seconds;
static char* area;
static long done[threads];

struct files {
  int zero, null, queue, pair[2], pipe[2];
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check(int good, const char* what) {
  if (good) return;
  printf("%s failed: %s\n", what, strerror(errno));
  fflush(stdout);
  _exit(9);
}

static void messages(const struct files* files, char* data, char* head) {
  struct msghdr* message = (struct msghdr*)head;
  struct iovec* part = (struct iovec*)(head + 512);
  memset(message, 0, sizeof *message);
  *part = (struct iovec){data, 300};
  message->msg_iov = part;
  message->msg_iovlen = 1;
  check(sendmsg(files->pair[0], message, 0) == 300, "sendmsg");
  check(recvmsg(files->pair[1], message, 0) == 300, "recvmsg");
}

static void futexes(char* data, char* head) {
  int* word = (int*)data;
  struct timespec* time = (struct timespec*)head;
  *word = 1;
  *time = (struct timespec){0, 100000};
  check(syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) < 0 && errno == EAGAIN,
        "futex");
  check(syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 1, time, NULL, 0) < 0 && errno == ETIMEDOUT,
        "futex with a time");
}

static void one_call(const struct files* files, int which, char* data, char* head) {
  struct iovec* parts = (struct iovec*)head;
  struct pollfd* polled = (struct pollfd*)head;
  switch (which) {
    case 0:
      check(read(files->zero, data, page) == page, "read");
      break;
    case 1:
      check(write(files->null, data, page) == page, "write");
      break;
    case 2:
      parts[0] = (struct iovec){data, 100};
      parts[1] = (struct iovec){data + 1000, 100};
      check(readv(files->zero, parts, 2) == 200, "readv");
      break;
    case 3:
      messages(files, data, head);
      break;
    case 4:
      futexes(data, head);
      break;
    case 5:
      check(epoll_wait(files->queue, (struct epoll_event*)data, 10, 0) >= 0, "epoll_wait");
      break;
    case 6:
      polled[0] = (struct pollfd){files->pair[0], POLLOUT, 0};
      check(poll(polled, 1, 1) >= 0, "poll");
      break;
    case 7:
      strcpy(data, "/proc/self/stat");
      const int file = open(data, O_RDONLY);
      check(file >= 0 && close(file) == 0, "open");
      break;
    case 8: {
      struct timespec* time = (struct timespec*)head;
      *time = (struct timespec){0, 1000};
      check(nanosleep(time, time) == 0, "nanosleep");
      break;
    }
    default:
      check(write(files->pipe[1], data, 2000) == 2000, "write to a pipe");
      check(read(files->pipe[0], head, 2000) == 2000, "read from a pipe");
  }
}

static void* work(void* number) {
  const long id = (long)number;
  unsigned seed = (unsigned)id + 1;
  struct files files = {
      open("/dev/zero", O_RDONLY), open("/dev/null", O_WRONLY), epoll_create1(0), {0, 0}, {0, 0}};
  struct epoll_event event = {.events = EPOLLOUT};
  check(socketpair(AF_UNIX, SOCK_STREAM, 0, files.pair) == 0 && pipe(files.pipe) == 0 &&
            epoll_ctl(files.queue, EPOLL_CTL_ADD, files.pair[0], &event) == 0,
        "opening files");
  char* const own = area + id * pages_each * page;
  for (const double end = now() + seconds; now() < end; ++done[id]) {
    char* const data = own + rand_r(&seed) % (pages_each / 2) * page;
    char* const head = own + (pages_each / 2 + rand_r(&seed) % (pages_each / 2)) * page;
    one_call(&files, rand_r(&seed) % calls, data, head);
  }
  return NULL;
}

int main(int count, char** arguments) {
  seconds = count > 1 ? atof(arguments[1]) : 1;
  const size_t bytes = (size_t)page * pages_each * threads;
  area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(area, 1, bytes);
  pthread_t all[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, work, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  printf("%ld\n", done[0] + done[1] + done[2]);
  return 0;
}
