#include "heap/process.h"

#include <linux/rseq.h>
#include <pthread.h>

#include <cerrno>
#include <cstddef>

#include "heap/fork.h"
#include "heap/nodes.h"

// glibc 2.35 registers the kernel's per-thread area of restartable sequences; older ones do not.
extern "C" {
extern const std::ptrdiff_t __rseq_offset [[gnu::weak]];  // NOLINT(bugprone-reserved-identifier)
extern const unsigned __rseq_size [[gnu::weak]];          // NOLINT(bugprone-reserved-identifier)
}

namespace homenode::heap {
namespace detail {
constinit Atomic<Arena*> arenas[system::max_nodes + 1] = {};
constinit Atomic<Arena*> private_arenas;
constinit Atomic<CoreHeap*> heaps[max_cpus] = {};
constinit Lock process_lock;
constinit Lock private_lock;
constinit Lock meta_lock;
constinit Thread* threads = nullptr;
constinit Thread* unused_threads = nullptr;
}  // namespace detail

namespace {

using namespace detail;

constinit Settings chosen{};
constinit Atomic<bool> started;
constinit bool uniform = true;
constinit system::NodeMask allowed{};
constinit char* meta_first HN_GUARDED_BY(meta_lock) = nullptr;
constinit std::size_t meta_left HN_GUARDED_BY(meta_lock) = 0;
constinit Atomic<unsigned> last_number;
constinit pthread_key_t end_key = 0;

constinit thread_local bool has_ended [[gnu::tls_model("initial-exec")]] = false;

/// The kernel's note of the CPU that the calling thread runs on; null where there is none.
const unsigned* cpu_note() {
  if (&__rseq_size == nullptr || __rseq_size == 0) return nullptr;
  const auto* const area = reinterpret_cast<const struct rseq*>(
      static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset);
  // Not registered: the kernel's numbers are then negative.
  if (static_cast<int>(peek(area->cpu_id)) < 0) return nullptr;
  return &area->cpu_id;
}

/// At the end of a thread. Other destructors may allocate after this one, which makes the thread
/// somebody again; glibc then calls this once more, up to four times. What is leased after that is
/// found by start_thread().
void end_thread(void* value) {
  auto* const thread = static_cast<Thread*>(value);
  return_leases(*thread);
  self = &nobody;
  has_ended = true;
  const Guard guard(process_lock);
  thread->id = 0;
  thread->ended = false;
  Thread** link = &threads;
  while (*link != thread) link = &(*link)->next;
  *link = thread->next;
  thread->next = unused_threads;
  unused_threads = thread;
}

Arena* make_arena(unsigned node) {
  auto* const arena = static_cast<Arena*>(meta_allocate(sizeof(Arena)));
  if (arena == nullptr) return nullptr;
  arena->node = node;
  arena->policy = uniform && is_per_node(chosen.policy) ? Policy::local : chosen.policy;
  if (is_per_node(chosen.policy)) {
    arena->nodes.add(node);
  } else {
    arena->nodes = allowed;
  }
  return arena;
}

Arena* arena_of(unsigned node) HN_REQUIRES(process_lock) {
  Arena* arena = arenas[node].load_relaxed();
  if (arena == nullptr) {
    arena = make_arena(node);
    arenas[node].store_release(arena);
  }
  return arena;
}

CoreHeap* make_heap(unsigned cpu) HN_REQUIRES(process_lock) {
  unsigned node = system::max_nodes;  // That of all.
  if (!uniform) node = nearest_node(node_of_cpu(cpu), allowed);
  Arena* const arena = arena_of(node);
  if (arena == nullptr) return nullptr;
  auto* const heap = static_cast<CoreHeap*>(meta_allocate(sizeof(CoreHeap)));
  if (heap == nullptr) return nullptr;
  heap->cpu = cpu;
  heap->arena = arena;
  heap->next = arena->heaps.load_relaxed();
  arena->heaps.store_release(heap);
  return heap;
}

/// False when it was done already.
bool start_once() {
  const Guard guard(process_lock);
  if (started.load_relaxed()) return false;
  draw_secret();
  chosen = read_settings();
  // A container may refuse to tell. Then it refuses policies too, and memory goes where it is first
  // touched, which is its arena's node as long as a node's threads keep to their arena.
  if (system::allowed_nodes(allowed) != 0) allowed = nodes_with_memory();
  uniform = allowed.count() < 2 || !is_per_node(chosen.policy);
  (void)pthread_key_create(&end_key, &end_thread);
  started.store_release(true);
  return true;
}

/// A thread whose end was seen and that allocated again afterwards leaves its leases behind when it
/// is gone.
Thread* find_forsaken() HN_REQUIRES(process_lock) {
  for (Thread* thread = threads; thread != nullptr; thread = thread->next) {
    if (thread->ended && system::thread_gone(thread->id)) return thread;
  }
  return nullptr;
}

unsigned next_number() {
  return last_number.add_relaxed(1) + 1;
}

/// A record for the calling thread, with the leases of one who is gone, if it was theirs.
Thread* take_thread() {
  const Guard guard(process_lock);
  Thread* thread = find_forsaken();
  if (thread == nullptr) {
    thread = unused_threads;
    if (thread != nullptr) {
      unused_threads = thread->next;
    } else {
      thread = static_cast<Thread*>(meta_allocate(sizeof(Thread)));
      if (thread == nullptr) return nullptr;
      thread->number = next_number();
      for (Page*& page : thread->current) page = &no_page;
    }
    thread->next = threads;
    threads = thread;
  }
  thread->id = system::thread_id();
  thread->ended = has_ended;
  return thread;
}

}  // namespace

void* meta_allocate(std::size_t bytes) {
  constexpr std::size_t piece_bytes = 64 << 10;
  bytes = (bytes + 63) & ~std::size_t{63};
  const Guard guard(meta_lock);
  if (meta_left < bytes) {
    const std::size_t wanted = bytes > piece_bytes ? bytes : piece_bytes;
    auto* const piece = static_cast<char*>(system::map(wanted, 4096));
    if (piece == nullptr) return nullptr;
    meta_first = piece;
    meta_left = wanted;
  }
  void* const memory = meta_first;
  meta_first += bytes;
  meta_left -= bytes;
  return memory;
}

void start_process() {
  if (started.load_acquire()) return;
  keep_grounds_small();  // Before anything is written beside it, which would have a huge page made.
  if (!start_once()) return;
  watch_forks();
}

const Settings& settings() {
  return chosen;
}
bool is_uniform() {
  return uniform;
}

CoreHeap* heap_of_cpu(unsigned cpu) {
  if (cpu >= max_cpus) cpu = 0;
  CoreHeap* heap = heaps[cpu].load_acquire();
  if (heap != nullptr) return heap;
  const Guard guard(process_lock);
  heap = heaps[cpu].load_relaxed();
  if (heap == nullptr) {
    heap = make_heap(cpu);
    heaps[cpu].store_release(heap);
  }
  return heap;
}

CoreHeap* known_heap(unsigned cpu) {
  return cpu < max_cpus ? heaps[cpu].load_acquire() : nullptr;
}

Arena* known_arena(unsigned node) {
  return node < system::max_nodes ? arenas[node].load_acquire() : nullptr;
}

CoreHeap& owner_of(const Page& page) {
  CoreHeap* const only = chunk_of(page).arena->only_heap;
  return only != nullptr ? *only : *heaps[page.heap].load_relaxed();
}

Thread* start_thread() {
  start_process();
  unsigned cpu = 0;
  unsigned node = 0;
  (void)system::get_cpu(cpu, node);
  CoreHeap* const heap = heap_of_cpu(cpu);
  if (heap == nullptr) return nullptr;
  Thread* const thread = take_thread();
  if (thread == nullptr) return nullptr;
  return_leases(*thread);  // Those of one who is gone.
  thread->heap = heap;
  thread->cpu = cpu;
  const unsigned* const note = uniform ? nullptr : cpu_note();
  thread->cpu_now = note != nullptr ? note : &thread->cpu;
  self = thread;
  // glibc has room for the first keys in the thread itself: this allocates nothing.
  (void)pthread_setspecific(end_key, thread);
  return thread;
}

Thread* start_freeing() {
  Thread* const thread = has_ended ? nullptr : start_thread();
  if (thread == nullptr) return &nobody;
  // It has filled no page: those at large are not its, even if the record was somebody's.
  thread->number = next_number();
  return thread;
}

void follow_cpu(Thread& thread) {
  if (thread.stays) return;
  unsigned cpu = 0;
  unsigned node = 0;
  if (thread.cpu_now != &thread.cpu) {
    cpu = peek(*thread.cpu_now);
  } else if (system::get_cpu(cpu, node) != 0) {
    return;
  }
  if (cpu == thread.cpu) return;
  CoreHeap* const heap = heap_of_cpu(cpu);
  if (heap == nullptr) return;
  if (heap->arena != thread.heap->arena) {
    return_leases(thread);
    ++thread.node_switches;
  }
  thread.heap = heap;
  thread.cpu = cpu;
}

std::uint64_t count_node_switches() {
  const Guard guard(process_lock);
  std::uint64_t all = 0;
  for (const Thread* first : {threads, unused_threads}) {
    for (const Thread* thread = first; thread != nullptr; thread = thread->next) {
      all += thread->node_switches;
    }
  }
  return all;
}

}  // namespace homenode::heap
