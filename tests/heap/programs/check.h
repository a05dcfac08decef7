// What the programs share that test an allocator from outside, as any program would use it. They
// are plain programs, so the allocator under test is whatever the dynamic linker gives them:
//
//   LD_PRELOAD=libhomenode-malloc.so heap_entry_points
//
// A test framework inside the process would allocate on its own; these functions never do.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A named part of a program. Each runs in a process of its own, so a crash hides nothing else.
struct section {
  const char* name;
  void (*run)(void);
};

// Tells the line and the condition on stderr when it does not hold, and goes on.
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

bool check(bool holds, const char* condition, const char* file, int line);

// Whether any check of this process failed.
bool check_failed(void);

// Runs the sections that argv names, or all; the exit code of main: 0, 1 failed, 2 bad usage.
int run_sections(int argc, char** argv, const struct section* sections, size_t count);

// A sequence that a seed decides (xorshift64*). pre: *state != 0.
uint64_t next_random(uint64_t* state);

// Fills a block with bytes that only this pattern has, and tells whether they are still there.
void fill(void* block, size_t size, uint64_t pattern);
bool holds(const void* block, size_t size, uint64_t pattern);
bool is_zero(const void* block, size_t size);

static inline bool is_aligned(const void* block, size_t alignment) {
  return ((uintptr_t)block & (alignment - 1)) == 0;
}

// Memory of this process in MiB: resident, and mapped. Read without allocating.
size_t resident_mib(void);
size_t mapped_mib(void);

// The CPUs that the calling thread may use, in their order, `most` at most; how many they are.
size_t allowed_cpus(int* cpus, size_t most);
// The calling thread onto one CPU.
void run_on(int cpu);

// The value as the compiler cannot know it: keeps it from warning of sizes that no object has.
static inline size_t opaque(size_t value) {
  volatile size_t hidden = value;
  return hidden;
}

#ifdef __cplusplus
}
#endif
