// heap_faulty.so: the C library's allocator with one fault, which HEAP_FAULT names. Preloaded, it
// shows that the programs of this folder find such a fault.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);

static const char* fault = "none";
static pid_t first_process;

// What the dynamic linker allocates before is without fault.
__attribute__((constructor)) static void choose(void) {
  first_process = getpid();
  if (getenv("HEAP_FAULT") != NULL) fault = getenv("HEAP_FAULT");
}

static int has(const char* name) {
  return strcmp(fault, name) == 0;
}

void* malloc(size_t size) {
  static _Thread_local unsigned calls;
  static _Thread_local void* previous;
  if (has("fork") && getpid() != first_process) return NULL;
  if (has("errno_unset") && size > PTRDIFF_MAX) return NULL;
  if (has("alignment") && size < 8) {
    char* whole = __libc_malloc(16 + size);
    return whole == NULL ? NULL : whole + 8;
  }
  if (has("overlap") && size > 64 && size < 512 && ++calls % 64 == 0 && previous != NULL) {
    return (char*)previous + 16;
  }
  void* block = __libc_malloc(size);
  if (size >= 512) previous = block;
  return block;
}

void free(void* block) {
  if (has("leak")) return;
  if (has("alignment") && (uintptr_t)block % 16 == 8) block = (char*)block - 8;
  if (has("overlap")) return;
  __libc_free(block);
  if (has("errno_lost")) errno = ENOENT;
}

void* calloc(size_t count, size_t size) {
  if (has("wrap")) return __libc_calloc(1, count * size);
  if (has("dirty") && count * size > 100) return __libc_malloc(count * size);
  return __libc_calloc(count, size);
}

void* realloc(void* block, size_t size) {
  if (has("short_copy") && block != NULL && size > 64) {
    char* copy = __libc_malloc(size);
    if (copy != NULL) memcpy(copy, block, 64);
    return copy;
  }
  return __libc_realloc(block, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return __libc_memalign(has("half_aligned") && alignment > 64 ? alignment / 2 : alignment, size);
}
