/* An array and a thread's stack in one mapping; says its number and the array's address, and waits.
 * usage: stack_beside_array KIB: the stack is glibc's, of this size, below the array; 0: it is the
 * program's own, above the array */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { array_bytes = 16 << 20, own_stack_bytes = 8 << 20 };

static void* wait_for_ever(void* unused) {
  pause();
  return unused;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  const size_t stack_bytes = strtoul(words[1], NULL, 10) << 10;
  /* Only mappings of like flags become one. */
  char* const array = mmap(NULL, array_bytes + own_stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (array == MAP_FAILED) return 1;
  memset(array, 1, array_bytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_bytes != 0) {
    pthread_attr_setstacksize(&attributes, stack_bytes);
  } else {
    pthread_attr_setstack(&attributes, array + array_bytes, own_stack_bytes);
  }
  pthread_t thread;
  if (pthread_create(&thread, &attributes, wait_for_ever, NULL) != 0) return 1;
  printf("%d %p\n", (int)getpid(), (void*)array);
  fflush(stdout);
  pthread_join(thread, NULL);
  return 0;
}
