/* homenode: private heaps, which a program makes. Plain C11; of libhomenode-malloc, which needs
 * libc alone and also replaces malloc().
 *
 * A heap has memory of its own, on the nodes and under the policy that it was made with. Its blocks
 * are freed by any thread with hn_heap_free() or free(), and go back to the heap they came from.
 * All functions are thread safe, except that a heap must not be in use when it is destroyed.
 * Functions that give a pointer give NULL on failure, the others -1, and set errno: EINVAL for
 * arguments that make no sense, ENOMEM when there is no memory. What the kernel refuses of a policy
 * is counted, not an error: in a container without CAP_SYS_NICE a heap still works. */
#ifndef HOMENODE_HEAP_H
#define HOMENODE_HEAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the memory of a heap will mostly be used, where its policy is left open. */
enum hn_heap_access {
  HN_HEAP_READ_WRITE = 0, /**< bind: writes cost most, so the memory is near its writer. */
  HN_HEAP_READ = 1,       /**< interleave: readers on all nodes share all nodes' bandwidth. */
  HN_HEAP_WRITE = 2       /**< bind. */
};

/** What a heap is to be. Zeroed, it is a heap on the caller's node. */
typedef struct hn_heap_options {
  /** "bind" prefers the nodes and takes memory of others when they are full; "bind:strict" never
   * does, and the kernel ends a program that needs more; "preferred", "interleave", "weighted",
   * "local". NULL: as `access` says. */
  const char* policy;
  /** Such as "0" or "0-2,5", or "cpu:5" for the node of that CPU. NULL: the caller's node; with
   * interleave and weighted, all nodes. */
  const char* nodes;
  enum hn_heap_access access;
} hn_heap_options;

typedef struct hn_heap hn_heap;

/** Makes a heap. NULL as `options` is the same as zeroed ones. */
hn_heap* hn_heap_create(const hn_heap_options* options);

/** Gives all of a heap's memory back, with the blocks that are still in use. NULL is allowed. */
void hn_heap_destroy(hn_heap* heap);

/** A block of at least `bytes`, aligned as malloc() aligns. */
void* hn_heap_malloc(hn_heap* heap, size_t bytes);

/** As hn_heap_malloc(), for `count` things of `bytes` each, zeroed. */
void* hn_heap_calloc(hn_heap* heap, size_t count, size_t bytes);

/** As hn_heap_malloc(), at a multiple of a power of two. */
void* hn_heap_aligned_alloc(hn_heap* heap, size_t alignment, size_t bytes);

/** A block of another size in the same heap with the same content, in place of `memory`, which is
 * NULL or a block of this heap. On failure the block is as it was. */
void* hn_heap_realloc(hn_heap* heap, void* memory, size_t bytes);

/** Frees a block of any heap; the same as free(). NULL is allowed. */
void hn_heap_free(void* memory);

/** Moves what a heap has to other nodes, where its memory also comes from from now on. */
int hn_heap_move(hn_heap* heap, const char* nodes);

/** The heap that a block is of; NULL for blocks of malloc() and foreign ones. No errno. */
hn_heap* hn_heap_of(const void* memory);

/** The node that holds the byte now; -1 with ENOENT when it has not been touched, and with what the
 * kernel says when it does not tell. */
int hn_heap_node_of(const void* memory);

/** What a heap has, in bytes, and has done, in numbers. */
typedef struct hn_heap_statistics {
  uint64_t live;             /**< Bytes in blocks in use, with their rounding. */
  uint64_t committed;        /**< Bytes in pages in use and kept for use. */
  uint64_t peak;             /**< The most bytes that have been in pages in use. */
  uint64_t kept;             /**< Bytes that are free and not yet given back to the system. */
  uint64_t mapped;           /**< Bytes of address space. */
  uint64_t refused_policies; /**< How many times the kernel refused a policy. */
  uint64_t remote_frees;     /**< How many blocks of up to 64 KiB came back to pages that the thread
                              * did not hold: from others, or to a page that was full. */
  uint64_t mappings;         /**< How many pieces of address space were asked for. */
  uint64_t policy_calls;     /**< How many calls gave those their policy. */
} hn_heap_statistics;

/** Of a heap, or with NULL of malloc() and all heaps together. Counted when asked. */
int hn_heap_statistics_of(hn_heap* heap, hn_heap_statistics* statistics);

/** Of malloc()'s memory on a node; -1 with ENOENT when it has none there. With a policy that goes
 * round the nodes it has none of its own on any. */
int hn_heap_statistics_of_node(unsigned node, hn_heap_statistics* statistics);

/** Of malloc()'s heap of a CPU: of what the threads have that asked for memory there. What is kept,
 * mapped and refused is counted by node, and 0 here. -1 with ENOENT when nobody has asked yet. */
int hn_heap_statistics_of_cpu(unsigned cpu, hn_heap_statistics* statistics);

/** Writes a JSON object (schema homenode.malloc) about malloc()'s arenas, one for each node, with
 * the heaps of their CPUs, and about private heaps, to a file descriptor. */
void hn_heap_write_statistics(int file);

#ifdef __cplusplus
}
#endif

#endif
