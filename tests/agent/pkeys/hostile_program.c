// What a program may do that a sampler inside it could break, one thing by name, for some seconds,
// while a second thread uses the same memory. Prints the name where all went as it does without a
// sampler; says what did not and exits with 9 otherwise.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern char** environ;

enum { page = 4096, pages = 128 };

static char* heap;
static volatile int stop;
static sigjmp_buf jump;
static volatile long faults, alarms;
static ucontext_t main_context, fiber_context;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const char* what) {
  printf("not so: %s (%s)\n", what, strerror(errno));
  fflush(stdout);
  _exit(9);
}
#define NEED(condition) ((condition) ? (void)0 : fail(#condition))

static void touch(void) {
  static __thread unsigned seed = 1;
  for (int i = 0; i < 64; ++i) ++heap[rand_r(&seed) % pages * page + rand_r(&seed) % page];
}

static void* touch_always(void* nothing) {
  while (!stop) touch();
  return nothing;
}

static char* map(size_t count) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  char* const memory = mmap(NULL, count * page, PROT_READ | PROT_WRITE, flags, -1, 0);
  NEED(memory != MAP_FAILED);
  memset(memory, 1, count * page);
  return memory;
}

static void jump_back(int signal) {
  ++faults;
  touch();
  siglongjmp(jump, signal);
}

static void own_segv(double end) {
  struct sigaction action = {.sa_handler = jump_back}, found;
  sigfillset(&action.sa_mask);
  NEED(sigaction(SIGSEGV, &action, NULL) == 0);
  NEED(sigaction(SIGSEGV, NULL, &found) == 0 && found.sa_handler == jump_back);
  while (now() < end) {
    touch();
    if (sigsetjmp(jump, 1) == 0) {
      *(volatile int*)8 = 1;
      fail("a fault of the program's own");
    }
  }
  NEED(faults > 0);
}

static void count_alarm(int signal) {
  (void)signal;
  ++alarms;
  touch();
}

static void alarms_on_own_stack(double end) {
  const stack_t stack = {.ss_sp = malloc(16384), .ss_size = 16384};
  stack_t found;
  NEED(sigaltstack(&stack, NULL) == 0);
  NEED(sigaltstack(NULL, &found) == 0 && found.ss_sp == stack.ss_sp);
  struct sigaction action = {.sa_handler = count_alarm, .sa_flags = SA_RESTART | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  NEED(sigaction(SIGALRM, &action, NULL) == 0);
  struct itimerval timer = {{0, 20000}, {0, 20000}};
  setitimer(ITIMER_REAL, &timer, NULL);
  while (now() < end) {
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    touch();
    getppid();
    sigprocmask(SIG_SETMASK, &before, NULL);
    touch();
  }
  timer = (struct itimerval){{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &timer, NULL);
  NEED(alarms > 0);
}

static void wait_for(pid_t child, int code) {
  int status = 0;
  NEED(child > 0 && waitpid(child, &status, 0) == child);
  NEED(WIFEXITED(status) && WEXITSTATUS(status) == code);
}

static void processes(double end) {
  char* const own = map(2);
  while (now() < end) {
    touch();
    pid_t child = fork();
    if (child == 0) {
      touch();
      const int zero = open("/dev/zero", O_RDONLY);
      _exit(read(zero, heap, pages * page) == pages * page ? 5 : 6);
    }
    wait_for(child, 5);
    child = vfork();
    if (child == 0) _exit(7);
    wait_for(child, 7);
    char** const arguments = (char**)own;
    arguments[0] = strcpy(own + page, "/bin/true");
    arguments[1] = NULL;
    NEED(posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ) == 0);
    wait_for(child, 0);
    NEED(system("exit 4") == 4 << 8);
  }
}

static void* touch_once(void* given) {
  touch();
  return given;
}

static void* wait_in_a_call(void* descriptor) {
  char bytes[8];
  while (read(*(int*)descriptor, bytes, sizeof bytes) != 0) touch();
  return NULL;
}

static void threads(double end) {
  enum { count = 6 };
  int ends[2];
  NEED(pipe(ends) == 0);
  while (now() < end) {
    pthread_t all[count];
    void* given = NULL;
    for (long i = 0; i < count; ++i) {
      NEED(pthread_create(&all[i], NULL, touch_once, (void*)i) == 0);
    }
    for (long i = 0; i < count; ++i) {
      NEED(pthread_join(all[i], &given) == 0 && given == (void*)i);
    }
    NEED(pthread_create(all, NULL, wait_in_a_call, ends) == 0);
    usleep(1000);
    NEED(pthread_kill(all[0], 0) == 0 && pthread_cancel(all[0]) == 0);
    NEED(pthread_join(all[0], &given) == 0 && given == PTHREAD_CANCELED);
  }
}

static void mappings(double end) {
  while (now() < end) {
    char* memory = map(64);
    NEED(mprotect(memory + 8 * page, 8 * page, PROT_READ) == 0);
    NEED(madvise(memory + 32 * page, 8 * page, MADV_DONTNEED) == 0);
    NEED(memory[32 * page] == 0 && memory[31 * page] == 1 && memory[8 * page] == 1);
    NEED(mprotect(memory + 8 * page, 8 * page, PROT_READ | PROT_WRITE) == 0);
    memory = mremap(memory, 64 * page, 128 * page, MREMAP_MAYMOVE);
    NEED(memory != MAP_FAILED && memory[63 * page] == 1);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    NEED(mmap(memory, 4 * page, PROT_NONE, flags, -1, 0) == memory);
    NEED(munmap(memory, 128 * page) == 0);
    char* const large = malloc(200000);
    memset(large, 1, 200000);
    free(large);
    touch();
  }
}

static void jump_out(int signal) {
  ++alarms;
  touch();
  siglongjmp(jump, signal);
}

// Out of a signal's handler, wherever the thread is: in memory, in a call, in a handler's frame.
static void jumps(double end) {
  struct sigaction action = {.sa_handler = jump_out};
  NEED(sigaction(SIGALRM, &action, NULL) == 0);
  const int zero = open("/dev/zero", O_RDONLY);
  const struct itimerval often = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
  // Armed only when there is a place to jump to: on a busy host the first alarm comes at once.
  if (sigsetjmp(jump, 1) == 0) NEED(setitimer(ITIMER_REAL, &often, NULL) == 0);
  while (now() < end) {
    touch();
    if (read(zero, heap + 3 * page, 5 * page) != 5 * page) fail("read into memory");
    (void)getppid();
  }
  NEED(setitimer(ITIMER_REAL, &never, NULL) == 0);
  NEED(alarms > 0);
}

// More than most kernels' limit leaves room for, if each window divided some of them.
static void use_mappings(int many, double end) {
  char* const memory = map(many);
  for (int i = 0; i < many; i += 2) NEED(mprotect(memory + i * page, page, PROT_READ) == 0);
  while (now() < end) {
    touch();
    for (int i = 1; i < many; i += 128) ++memory[i * page];
  }
  for (int i = 0; i < many; i += 2) {
    NEED(mprotect(memory + i * page, page, PROT_READ | PROT_WRITE) == 0);
  }
  NEED(munmap(memory, many * page) == 0);
}

static void many_mappings(double end) {
  use_mappings(5000, end);
}
static void very_many_mappings(double end) {
  use_mappings(50000, end);
}

static void run_fiber(void) {
  for (;;) {
    char bytes[100];
    const int zero = open("/dev/zero", O_RDONLY);
    touch();
    NEED(read(zero, bytes, sizeof bytes) == sizeof bytes && close(zero) == 0);
    swapcontext(&fiber_context, &main_context);
  }
}

static void fibers(double end) {
  getcontext(&fiber_context);
  fiber_context.uc_stack.ss_size = 65536;
  fiber_context.uc_stack.ss_sp = malloc(65536);
  sigfillset(&fiber_context.uc_sigmask);
  makecontext(&fiber_context, run_fiber, 0);
  while (now() < end) swapcontext(&main_context, &fiber_context);
}

// Another process copies this one's memory, as MPI's ranks on one machine do of each other.
static void remote(double end) {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    static char copy[pages * page];
    const struct iovec here = {copy, sizeof copy}, there = {heap, sizeof copy};
    while (now() < end) {
      NEED(process_vm_readv(parent, &here, 1, &there, 1, 0) == sizeof copy);
    }
    _exit(5);
  }
  while (now() < end) touch();
  wait_for(child, 5);
}

static void own_keys(double end) {
  while (now() < end) touch();
  const int key = pkey_alloc(0, 0);
  char* const memory = map(1);
  struct sigaction action = {.sa_handler = jump_back};
  NEED(key > 0 && pkey_mprotect(memory, page, PROT_READ | PROT_WRITE, key) == 0);
  NEED(pkey_set(key, PKEY_DISABLE_ACCESS) == 0 && sigaction(SIGSEGV, &action, NULL) == 0);
  if (sigsetjmp(jump, 1) == 0) {
    memory[0] = 2;
    fail("the program's key forbids");
  }
}

static void sandbox(double end) {
  while (now() < end) touch();
  stop = 1;
  NEED(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
  touch();
  write(STDOUT_FILENO, "sandbox\n", 8);
  syscall(SYS_exit_group, 0);  // Not allowed there: the kernel kills the process.
}

static void* touch_with_a_name(void* end) {
  NEED(pthread_setname_np(pthread_self(), "hidden") == 0);
  while (now() < *(double*)end) touch();
  return NULL;
}

/// A thread as jemalloc makes its own: by libc itself, whatever is preloaded.
static void hidden_threads(double end) {
  typedef int Create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  Create* const create = (Create*)dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_create");
  NEED(create != NULL);
  pthread_t thread;
  NEED(create(&thread, NULL, touch_with_a_name, &end) == 0);
  while (now() < end) touch();
  NEED(pthread_join(thread, NULL) == 0);
}

static const struct {
  const char* name;
  void (*run)(double end);
} parts[] = {{"segv", own_segv},
             {"alarms", alarms_on_own_stack},
             {"processes", processes},
             {"threads", threads},
             {"mappings", mappings},
             {"fibers", fibers},
             {"jumps", jumps},
             {"many-mappings", many_mappings},
             {"remote", remote},
             {"hidden", hidden_threads},
             {"own-keys", own_keys},
             {"sandbox", sandbox},
             {"very-many-mappings", very_many_mappings}};

int main(int count, char** arguments) {
  if (count != 3) return 2;
  heap = map(pages);
  // The thread inherits that it blocks the signal: had it to block it by itself, a first alarm
  // could come before, and a jump into another thread's frame is the program's own mistake.
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, touch_always, NULL);
  pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (strcmp(arguments[1], parts[i].name) != 0) continue;
    parts[i].run(now() + atof(arguments[2]));
    printf("%s\n", parts[i].name);
  }
  stop = 1;
  pthread_join(thread, NULL);
  return 0;
}
