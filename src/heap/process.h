// What there is once in a process: the nodes' arenas, the cores' heaps, the threads, and what the
// environment asks for. Everything comes with its first use; no constructor has to have run.
// Serves the allocator.
#pragma once

#include "heap/settings.h"
#include "heap/thread.h"

namespace homenode::heap {

/// Of any Linux kernel (CONFIG_NR_CPUS <= 8192 on x86-64).
inline constexpr unsigned max_cpus = 8192;

/// Reads the settings and the nodes, once.
void start_process();
const Settings& settings();
/// One node, or one arena for all: no thread has to look where it runs.
bool is_uniform();

/// Memory of the allocator itself, zeroed, never given back; null when there is none.
void* meta_allocate(std::size_t bytes);

/// The heap of a CPU, made when it is first asked for; null when there is no memory for it.
CoreHeap* heap_of_cpu(unsigned cpu);
/// What has been made; null otherwise.
CoreHeap* known_heap(unsigned cpu);
Arena* known_arena(unsigned node);
/// The heap that a page belongs to.
CoreHeap& owner_of(const Page& page);
/// Calls visit(Arena&) for each arena of a node.
template <class Visit>
void for_node_arenas(Visit visit);
/// For all of them. pre: the caller holds no lock.
template <class Visit>
void for_arenas(Visit visit);

/// Makes the calling thread somebody; null when there is no memory for it.
Thread* start_thread();
/// The same for a thread that has allocated nothing yet and frees; nobody where there is no memory,
/// and at a thread's end, when it would not be worth it.
Thread* start_freeing();
/// Follows a thread to the CPU that it runs on now. On another node it returns its leases.
void follow_cpu(Thread& thread);
/// How often threads have come to another node, all together.
std::uint64_t count_node_switches();

namespace detail {
/// By node; the last is the one for all.
extern constinit Atomic<Arena*> arenas[system::max_nodes + 1];
extern constinit Atomic<Arena*> private_arenas;
extern constinit Atomic<CoreHeap*> heaps[max_cpus];
// In the order in which they are taken; then come those of heaps and arenas.
extern constinit Lock private_lock;  ///< Of the list of private arenas, before their `use_lock`s.
extern constinit Lock process_lock;  ///< Of the other tables and the threads.
extern constinit Lock meta_lock;
extern constinit Thread* threads HN_GUARDED_BY(process_lock);
extern constinit Thread* unused_threads HN_GUARDED_BY(process_lock);
}  // namespace detail

template <class Visit>
void for_node_arenas(Visit visit) {
  for (const Atomic<Arena*>& slot : detail::arenas) {
    Arena* const arena = slot.load_acquire();
    if (arena != nullptr) visit(*arena);
  }
}

/// For those of heaps that the program made.
template <class Visit>
void for_private_arenas(Visit visit) HN_REQUIRES(detail::private_lock) {
  for (Arena* arena = detail::private_arenas.load_relaxed(); arena != nullptr; arena = arena->next)
    visit(*arena);
}

template <class Visit>
void for_arenas(Visit visit) {
  for_node_arenas(visit);
  const Guard guard(detail::private_lock);
  for_private_arenas(visit);
}

}  // namespace homenode::heap
