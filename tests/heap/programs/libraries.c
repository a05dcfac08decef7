// Libraries that are loaded and unloaded, some of which bind to libc before anything preloaded; and
// what runs when a process ends. heap_guest.so is the library; guest.cpp.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lives.h"

// Where the build put the library: beside this program, in ../lib.
static void guest_path(char* path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length < 0 ? 0 : length] = 0;
  for (int up = 0; up < 2; up++) {
    char* slash = strrchr(path, '/');
    if (slash != NULL) *slash = 0;
  }
  strncat(path, "/lib/heap_guest.so", size - strlen(path) - 1);
}

struct guest {
  void* library;
  char* (*duplicate)(const char*);
  void (*release)(char*);
  int (*live)(int);
};

static struct guest load(int flags) {
  char path[4096];
  guest_path(path, sizeof path);
  struct guest guest = {.library = dlopen(path, flags)};
  if (!CHECK(guest.library != NULL)) {
    fprintf(stderr, "%s\n", dlerror());
    _exit(1);
  }
  *(void**)&guest.duplicate = dlsym(guest.library, "guest_duplicate");
  *(void**)&guest.release = dlsym(guest.library, "guest_release");
  *(void**)&guest.live = dlsym(guest.library, "guest_live");
  return guest;
}

// Each side frees what the other allocated, and what it got back from itself.
static void swap_blocks(const struct guest* guest) {
  for (int i = 0; i < 200; i++) {
    char* theirs = guest->duplicate("from the library");
    CHECK(strcmp(theirs, "from the library") == 0);
    theirs = realloc(theirs, 100 + (size_t)i * 50);
    CHECK(strcmp(theirs, "from the library") == 0);
    free(theirs);
    guest->release(strdup("from the program"));
    guest->release(guest->duplicate("there and back"));
    char* large = malloc(300000);
    large[0] = 0;
    guest->release(large);
  }
  CHECK(guest->live(1000) == 1000);
}

void libraries_come_and_go(void) {
  for (int i = 0; i < 100; i++) {
    const struct guest guest = load(i % 2 ? RTLD_NOW : RTLD_LAZY | RTLD_GLOBAL);
    if (i % 10 == 0) swap_blocks(&guest);
    CHECK(dlclose(guest.library) == 0);
  }
}

void deep_binding(void) {
  const struct guest guest = load(RTLD_NOW | RTLD_DEEPBIND);
  swap_blocks(&guest);
  CHECK(dlclose(guest.library) == 0);
}

// dlopen searches where its caller says, so whoever stands between must not be taken for the
// caller.
void search_path_of_the_caller(void) {
  const struct guest guest = load(RTLD_NOW);
  void* (*open_from_guest)(const char*) = NULL;
  *(void**)&open_from_guest = dlsym(guest.library, "guest_open");
  CHECK(dlopen("heap_faulty.so", RTLD_NOW) == NULL);
  CHECK(strstr(dlerror(), "heap_faulty.so") != NULL);
  void* found = open_from_guest("heap_faulty.so");
  CHECK(found != NULL && dlclose(found) == 0);
  CHECK(dlopen(NULL, RTLD_NOW) != NULL);
}

static char* freed_at_exit;

static void last(void) {
  free(freed_at_exit);
  char* block = malloc(100000);
  memset(block, 1, 100000);
  free(block);
  free(strdup("the end"));
  if (check_failed()) _exit(1);
}

void exit_handlers(void) {
  for (int i = 0; i < 3; i++) {
    const pid_t child = fork();
    if (child == 0) {
      // The library stays loaded, so its destructors run after ours.
      CHECK(load(RTLD_NOW).live(100) == 100);
      freed_at_exit = malloc(1000);
      CHECK(atexit(last) == 0 && at_quick_exit(last) == 0);
      if (i == 2) quick_exit(7);
      exit(7);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
}
