/* homenode: the C interface. Plain C11, usable from C, C++, Fortran and Python's ctypes.
 *
 * Conventions: functions return 0 on success and a negative hn_status on failure; `error` then
 * receives one line that says what was tried and what to do next, and else NULL. It may be NULL
 * when the caller does not want it. Strings that a function hands out belong to the caller and are
 * freed with hn_string_free(). Functions that list numbers write as many as there is room for and
 * return how many there are. Nodes and CPUs are the operating system's numbers: they may have gaps.
 * Nothing is printed, nothing exits, nothing happens before the first call. All functions are
 * thread safe; calls on one region wait for each other.
 *
 * A memory rule is a text: NAME[:PARAMETER[,PARAMETER...]][@NODES], such as "bind@0",
 * "interleave", "cyclic:4@0-3" or "block". docs/the-library.md lists the names. */
#ifndef HOMENODE_H
#define HOMENODE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a negative return value means. */
enum hn_status {
  HN_OK = 0,
  HN_FAILED = -1,        /**< Valid, but did not succeed. */
  HN_BAD_USAGE = -2,     /**< The arguments make no sense. */
  HN_NOT_SUPPORTED = -3, /**< This kernel, machine or privilege lacks what is needed. */
  HN_INCOMPLETE = -4,    /**< Done, but some pages are elsewhere; the memory may be used. */
};

/** Where a number of a node is expected: every node. Where one is given: none. */
enum { HN_ALL_NODES = -1, HN_NO_NODE = -1 };

/** The library's version, such as "0.2.0". Static; never freed. */
const char* hn_version(void);

/** Frees a string that a function of this library handed out. NULL is allowed. */
void hn_string_free(char* string);

/* ---------------------------------------------------------------------------------- machines */

/** A machine as it was when it was read. */
typedef struct hn_machine hn_machine;

/** Describes a machine as JSON (schema homenode.machine/2).
 *
 * @param source  "live", the path of an hwloc XML file, or "synthetic:DESCRIPTION".
 * @param json    on success, the description; on failure, NULL. Owned by the caller.
 * @return HN_OK, HN_BAD_USAGE for NULL arguments, HN_FAILED when it cannot be read. */
int hn_machine_json(const char* source, char** json, char** error);

/** Reads a machine, once for many questions. `source` and errors as above; `machine` is freed with
 * hn_machine_free() and is NULL on failure. */
int hn_machine_load(const char* source, hn_machine** machine, char** error);

/** Frees a machine. NULL is allowed. */
void hn_machine_free(hn_machine* machine);

/* In all questions, a NULL machine is the live one, which is read once, at the first question. */

/** The nodes, in increasing order. Returns how many there are; 0 when the machine is not to be
 * read. At most `capacity` of them are written to `nodes`. */
size_t hn_machine_nodes(const hn_machine* machine, int* nodes, size_t capacity);

/** The online CPUs of a node, or of HN_ALL_NODES, in increasing order. As above. */
size_t hn_machine_cpus(const hn_machine* machine, int node, int* cpus, size_t capacity);

/** The node that a CPU belongs to; HN_NO_NODE for an unknown CPU. */
int hn_machine_node_of_cpu(const hn_machine* machine, int cpu);

/** The relative distance (10 = local); NaN when nobody says. */
double hn_machine_distance(const hn_machine* machine, int from_node, int to_node);

/** Idle latency of reads, in ns, and the bandwidth of reads of all CPUs of `from_node` together,
 * in MiB/s: from firmware, a measurement or a machine file. NaN when nobody says. */
double hn_machine_latency_ns(const hn_machine* machine, int from_node, int to_node);
double hn_machine_bandwidth_mib_per_s(const hn_machine* machine, int from_node, int to_node);

/** The memory of a node, or of HN_ALL_NODES; -1 for an unknown node. */
int64_t hn_machine_memory_bytes(const hn_machine* machine, int node);

/** What is free now on a node of this system; -1 for an unknown node. */
int64_t hn_node_free_bytes(int node);

/* ----------------------------------------------------------------------------------- threads */

/** Binds the calling thread to CPUs, in numactl's notation: "0-3,8", "all", "!2", "+0-1". */
int hn_thread_bind(const char* cpus, char** error);

/** Binds the calling thread to the CPUs that a thread map has for `rank`: "0,4,8-11" names one CPU
 * for each rank; so do the notations of likwid, OMP_PLACES and Charm++. Ranks past the end start
 * again. From OpenMP: hn_thread_bind_rank("0-7", omp_get_thread_num(), NULL). */
int hn_thread_bind_rank(const char* thread_map, size_t rank, char** error);

/** The CPU and the node that the caller runs on at this moment. Both places may be NULL. */
int hn_thread_where(int* cpu, int* node, char** error);

/** The CPUs that the caller may run on, in increasing order, as hn_machine_cpus() lists them;
 * 0 when the kernel does not say. */
size_t hn_thread_cpus(int* cpus, size_t capacity);

/** Sets where memory goes that the calling thread touches first from now on: a memory rule that is
 * a policy of the kernel ("bind@0", "interleave", "default", …). Inherited by what it starts. */
int hn_thread_place(const char* rule, char** error);

/** Begins and ends the region of interest that `homenode lab run` counts and times: what
 * hn_roi_begin(), hn_roi_begin_all() and hn_roi_end() of homenode/roi.h do without a library, for
 * languages that can call but not include. Outside the lab nothing happens. */
void hn_roi_begin_here(void);
void hn_roi_begin_all_here(void);
void hn_roi_end_here(void);

/* ----------------------------------------------------------------------------------- regions */

/** A range of memory of this process that is placed as a whole. */
typedef struct hn_region hn_region;

/** Allocates zeroed memory. With a distribution as `rule` every page is made present on its node
 * at once; under a policy of the kernel, and with NULL (first touch), pages come with their first
 * use. HN_INCOMPLETE: the region is handed out, but some pages are not where the rule places them.
 * Errors otherwise: `region` is NULL. */
int hn_region_allocate(size_t bytes, const char* rule, hn_region** region, char** error);

/** Makes a region of memory that the caller has and keeps: pages that it only partly covers belong
 * to it as a whole. Nothing is placed yet. pre: private memory that may be written (of malloc or
 * mmap, an array of the program); it outlives the region. */
int hn_region_adopt(void* address, size_t bytes, hn_region** region, char** error);

/** Frees a region: the memory too when hn_region_allocate() made it. NULL is allowed. */
void hn_region_free(hn_region* region);

/** The first byte, how many bytes, and how many pages, as allocated or adopted. */
void* hn_region_address(const hn_region* region);
size_t hn_region_bytes(const hn_region* region);
size_t hn_region_pages(const hn_region* region);

/** Gives a region the name under which `homenode profile` shows it, and `homenode where` and
 * /proc/PID/maps do on a kernel that can name memory (CONFIG_ANON_VMA_NAME, Linux 5.17): up to 63
 * printable characters, none of them one of \\ ` $ [ ]. Of adopted memory, the whole pages in it
 * get the name, and none where the kernel calls it something else ("[heap]", a file). Named again,
 * it has the later name. Placing and freeing go as without. */
int hn_region_name(hn_region* region, const char* name, char** error);

/** The size of a page of this system. */
size_t hn_page_bytes(void);

/** Places a region by a memory rule, again as often as wanted: pages that are present elsewhere
 * are moved, and their content stays. HN_INCOMPLETE: some pages are elsewhere; `error` says how
 * many and why.
 *
 * "next-touch[:PAGES]" moves each unit of so many pages, once, to the node of the thread that
 * touches it next, until the region is placed anew or freed. It handles SIGSEGV and hands on what
 * is not its own. Until it is touched, a system call that is given such memory fails with EFAULT.
 */
int hn_region_place(hn_region* region, const char* rule, char** error);

/** Which index of an array is contiguous in memory. */
enum hn_order { HN_ORDER_C = 0 /**< The last. */, HN_ORDER_FORTRAN = 1 /**< The first. */ };

/** An array of one to four dimensions as it lies in memory. */
typedef struct hn_array {
  size_t extents[4]; /**< The language's first index first; none is 0. */
  size_t element_bytes;
  int dimensions;
  int order; /**< An hn_order. */
} hn_array;

/** Places a region that holds an array from its first byte on, cut along its indices:
 * "rows[:N][@NODES]" cuts the first index, "columns" the second, "blocks" up to three of them, one
 * contiguous part for each node, or N indices at a time in turn. A page that several parts share
 * goes to the one with most of its bytes; an array that begins inside a page is cut as if it began
 * with that page. Any other memory rule is taken as by hn_region_place(). */
int hn_region_place_array(hn_region* region, const hn_array* array, const char* rule, char** error);

/** Asks for huge pages (`wanted` not 0) or forbids them, for pages that are not yet present and for
 * what the kernel does later. Placing a distribution forbids them by itself where they would
 * swallow the pages of other nodes. HN_NOT_SUPPORTED: the kernel has none. */
int hn_region_use_huge_pages(hn_region* region, int wanted, char** error);

/** Where a region's pages are, by the kernel's own word; no page is made present for it.
 *
 * @param nodes     receives the node of each page, or HN_NO_NODE; may be NULL.
 * @param capacity  for how many pages there is room.
 * @param json      receives counts, reasons, and how many bytes are in huge pages (schema
 *                  homenode.audit/1); may be NULL.
 * @return HN_OK, or an error of the kernel. */
int hn_region_audit(const hn_region* region, int* nodes, size_t capacity, char** json,
                    char** error);

/** What placing a region has done so far. */
typedef struct hn_statistics {
  uint64_t placements;  /**< Calls that placed it. */
  uint64_t pages_moved; /**< Pages that were present elsewhere and moved, all calls together. */
  uint64_t pages_as_planned; /**< By the last call: pages found on the node of the rule. */
  uint64_t pages_refused;    /**< By the last call: pages that are elsewhere or on no node. */
  double seconds;            /**< Time spent, all calls together. */
} hn_statistics;

/** pre: both pointers are not NULL. */
void hn_region_statistics(const hn_region* region, hn_statistics* statistics);

/** Blocks that are each placed by a memory rule, for programs that take an allocator, as numpy does
 * (NEP 49): malloc(), calloc(), realloc() and free() with a rule before their arguments. Blocks of
 * a page and more begin with a page and are zeroed. Smaller ones are malloc()'s and are not placed.
 * What the kernel refuses to place is allocated all the same; hn_region_adopt() and
 * hn_region_audit() say where it is. NULL: no memory; what realloc() was given is kept.
 * hn_rule_free() takes blocks of any rule, from any thread; it asks neither for their rule nor for
 * their size. pre: `rule` is a rule of hn_region_place(), not "next-touch". */
void* hn_rule_malloc(const char* rule, size_t bytes);
void* hn_rule_calloc(const char* rule, size_t count, size_t bytes);
void* hn_rule_realloc(const char* rule, void* address, size_t bytes);
void hn_rule_free(const char* rule, void* address, size_t bytes);

/* -------------------------------------------------------------------------------- strategies */

/** An array and the ranks of the threads that use it, in the order of the parts that they use; no
 * users stand for all threads. */
typedef struct hn_user_array {
  hn_region* region;
  const size_t* users;
  size_t user_count;
} hn_user_array;

/** Places all arrays of a program by a strategy: "first-touch" (where the main thread is),
 * "parallel-init" (each part with the thread that uses it), "round-robin" (page by page over all
 * nodes), "memory-bind" (on the nodes of the threads that use it).
 *
 * @param machine     NULL for the live one.
 * @param threads     how many the program has.
 * @param arrays      `count` of them.
 * @param thread_map  receives where the strategy wants the threads, for hn_thread_bind_rank(); may
 *                    be NULL. Owned by the caller.
 * @return as hn_region_place(); after an error of the kernel some arrays may have been placed. */
int hn_strategy_apply(const char* name, const hn_machine* machine, size_t threads,
                      const hn_user_array* arrays, size_t count, char** thread_map, char** error);

/* ------------------------------------------------------------------------------- predictions */

/** An object of a program (an array, an allocation) in blocks of `pages_per_block` pages, of which
 * the last one may have fewer, and the cache lines of 64 bytes that each thread reads of each block
 * from memory and writes to it: [thread * blocks + block]. */
typedef struct hn_used_object {
  const char* name; /**< One object's alone. */
  size_t pages;
  size_t pages_per_block;
  double lines_in_flight; /**< Of one thread: 1 where each address depends on the line before. */
  const double* reads;
  const double* writes;
  const size_t* first_users; /**< The thread that touches each block first, or NULL. */
  const int* homes;          /**< The node that each block was found on, or NULL. */
  double in_order; /**< The share of its lines, from 0 to 1, that are asked for ahead of their use,
                    * as threads walk through it in order. */
  const double* used_before; /**< How many lines of the object each thread had used before its first
                              * one of each block, [thread * blocks + block], or NULL: where it is
                              * known, it tells in which order threads go through pages. */
  double walk_lines; /**< Lines that follow one another, of which a thread uses all before it goes
                      * on elsewhere, as with rows of a block, 1 or more; 0: it goes through all. */
} hn_used_object;

/** A program as it was seen. */
typedef struct hn_program {
  size_t threads;
  const int* nodes;          /**< The node that each thread ran on. */
  const double* computing_s; /**< Of each thread, without its cache misses; or NULL. */
  const hn_used_object* objects;
  size_t object_count;
  int independent; /**< Not 0: no thread waits for others on its way, as it does at barriers. */
} hn_program;

/** A memory rule for one object, or, with a NULL name, for all that have none of their own yet. */
typedef struct hn_object_rule {
  const char* object;
  const char* rule;
} hn_object_rule;

/** Predicts how long a program would take under a placement, without running anything.
 *
 * @param machine     NULL for the live one.
 * @param thread_map  as for hn_thread_bind_rank(); NULL: threads stay where they were seen.
 * @param rules       `rule_count` of them. What none of them names goes where its first user is,
 *                    or stays where it was found.
 * @param model       "distance", "latency", "bandwidth" or "both"; NULL: the best that the figures
 *                    of the machine allow.
 * @param json        receives the prediction (schema homenode.prediction/1). Owned by the caller.
 * @return HN_OK, HN_BAD_USAGE, or HN_NOT_SUPPORTED where the machine lacks the model's figures. */
int hn_predict(const hn_machine* machine, const hn_program* program, const char* thread_map,
               const hn_object_rule* rules, size_t rule_count, const char* model, char** json,
               char** error);

#ifdef __cplusplus
}
#endif

#endif
