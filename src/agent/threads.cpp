// libhomenode-agent.so: preloaded into a program that cannot be changed, it puts each thread where
// the wire text says. Serves the launcher. Threads are numbered in the order of their creation; the
// number is drawn where a thread is created, so it does not depend on which thread starts first.
#include <pthread.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "agent/account.h"
#include "agent/calls.h"
#include "agent/words.h"

namespace homenode::agent {
namespace {

constexpr int mode_preferred = 1;  // MPOL_PREFERRED: of no node, it is the kernel's "local".
constexpr unsigned move_own_pages = 1 << 1;  // MPOL_MF_MOVE

constinit Arena arena;
constinit Words words;
constinit bool active = false;  ///< There is a text, and it could be read.
/// The policy that the program was started with, for threads that take no rank.
constinit KernelPolicy first_policy;
constinit unsigned long first_nodes[node_words] = {};
constinit std::size_t next_number = 1;  ///< Of the next thread; the main thread is 0. Atomic.

constinit pthread_t told_whole_map = {};  ///< The main thread, once tell_whole_map() has been.

using Main = int(int, char**, char**);
constinit Main* program_main = nullptr;

void keep_stack_local(std::uintptr_t first, std::size_t bytes) {
  (void)noted("mbind", bind_memory(first, bytes, {mode_preferred, {}}, move_own_pages));
}

void keep_own_stack_local() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* first = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &first, &bytes) == 0) {
    keep_stack_local(reinterpret_cast<std::uintptr_t>(first), bytes);
  }
  pthread_attr_destroy(&attributes);
}

/// pthread_getattr_np would read the whole of /proc/self/maps with stdio for the main thread.
void keep_main_stack_local() {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (find_mapping(here, first, end)) return keep_stack_local(first, end - first);
  note_failure(
      "cannot find its first stack in /proc/self/maps, so that follows the policy of --heap; check "
      "that /proc is mounted");
}

/// Only threads without a rank need it.
void remember_first_policy() {
  if (noted("get_mempolicy", read_policy(first_policy.mode, first_nodes, node_words)) < 0) return;
  bool has_nodes = false;
  for (unsigned long word : first_nodes) has_nodes = has_nodes || word != 0;
  if (has_nodes) first_policy.nodes = {first_nodes, node_words};
}

void bind(const Mask& cpus) {
  (void)noted("sched_setaffinity", bind_thread(cpus));
}

void set(const KernelPolicy& policy) {
  (void)noted("set_mempolicy", set_policy(policy));
}

/// Makes the text true for the calling thread. What the kernel refuses stays as it is and is noted:
/// the launcher has checked the map, and the program must not stop for it.
void place_thread(std::size_t number) {
  if (words.skipped.contains(number)) {
    bind(words.process_cpus);
    set(words.has_heap ? words.heap : first_policy);
    return;
  }
  const std::size_t rank = number - words.skipped.below(number);
  if (words.cpu_ranks > 0) bind(words.cpus_by_rank[rank % words.cpu_ranks]);
  if (words.memory_ranks > 0) {
    set(words.memory_by_rank[rank % words.memory_ranks]);
  } else if (words.has_heap) {
    set(words.heap);
  }
}

/// What a new thread begins with instead of the program's function.
template <class Return>
struct Start {
  Return (*function)(void*);
  void* argument;
  std::size_t number;

  static Return run(void* memory) {
    const Start start = *static_cast<Start*>(memory);
    std::free(memory);
    place_thread(start.number);
    if (words.has_heap) keep_own_stack_local();
    return start.function(start.argument);
  }
};

std::size_t draw_number() {
  return __atomic_fetch_add(&next_number, 1, __ATOMIC_RELAXED);
}

/// What was not created takes no number, unless another has been drawn meanwhile.
void give_back(std::size_t number) {
  std::size_t after = number + 1;
  __atomic_compare_exchange_n(&next_number, &after, number, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}

/// Creates a thread through create(run, start). `no_memory` is what the caller's interface says
/// when there is none.
template <class Return, class Create>
int create_placed(Return (*function)(void*), void* argument, int no_memory, Create create) {
  auto* const start = static_cast<Start<Return>*>(std::malloc(sizeof(Start<Return>)));
  if (start == nullptr) return no_memory;
  const std::size_t number = draw_number();
  *start = {function, argument, number};
  const int result = create(&Start<Return>::run, start);
  if (result == 0) return 0;
  std::free(start);
  give_back(number);
  return result;
}

int placed_main(int count, char** arguments, char** environment) {
  place_thread(0);
  if (words.has_heap) keep_main_stack_local();
  return program_main(count, arguments, environment);
}

bool holds_just(const unsigned long* set, std::size_t count, const Mask& mask) {
  for (std::size_t at = 0; at < count || at < mask.count; ++at) {
    if ((at < count ? set[at] : 0) != (at < mask.count ? mask.words[at] : 0)) return false;
  }
  return true;
}

/// A main thread that asks for its CPUs before it has created a thread counts those that it may
/// use, and would create one thread for the one CPU that it is bound to: it is told the whole map.
/// What it has bound itself to since is its own. Where the map is of processes, each is told its
/// own CPU, and no library of it starts threads for the others, which would take their ranks.
void tell_whole_map(cpu_set_t* told, std::size_t bytes) {
  if (!active || words.cpu_ranks == 0 || words.count_forks) return;
  if (__atomic_load_n(&next_number, __ATOMIC_RELAXED) != 1) return;
  auto* const bits = reinterpret_cast<unsigned long*>(told);
  const std::size_t count = bytes / sizeof *bits;
  if (words.process_cpus.count > count) return;
  if (!holds_just(bits, count, words.cpus_by_rank[0])) return;
  for (std::size_t at = 0; at < words.process_cpus.count; ++at) {
    bits[at] = words.process_cpus.words[at];
  }
  told_whole_map = pthread_self();
}

/// A library that binds its thread for a moment, as hwloc does to read the registers of each CPU,
/// puts back what it was told before: of a main thread, its own CPUs and not the whole map.
void give_own_cpus(const cpu_set_t*& cpus, std::size_t& bytes) {
  if (pthread_equal(told_whole_map, pthread_self()) == 0) return;
  const auto* const bits = reinterpret_cast<const unsigned long*>(cpus);
  if (!holds_just(bits, bytes / sizeof *bits, words.process_cpus)) return;
  const Mask& own = words.cpus_by_rank[0];
  cpus = reinterpret_cast<const cpu_set_t*>(own.words);
  bytes = own.count * sizeof *own.words;
}

/// Runs before every other constructor of the program (-z initfirst): a runtime that counts its
/// CPUs in a constructor, as libgomp does, counts those of the whole map and not of thread 0.
[[gnu::constructor]] void start_agent(int, char**, char** environment) {
  if (!open_account(environment, arena, words)) return;
  active = true;
  if (words.skipped.words != nullptr) remember_first_policy();
  bind(words.process_cpus);
}

}  // namespace
}  // namespace homenode::agent

using namespace homenode::agent;

extern "C" {

[[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                  const pthread_attr_t* attributes,
                                                  void* (*function)(void*), void* argument) {
  static constinit decltype(&pthread_create) real = nullptr;
  following(real, "pthread_create");
  if (!active) return real(thread, attributes, function, argument);
  return create_placed(function, argument, EAGAIN, [&](void* (*run)(void*), void* start) {
    return real(thread, attributes, run, start);
  });
}

/// glibc's own does not go through pthread_create's name.
[[gnu::visibility("default")]] int thrd_create(thrd_t* thread, thrd_start_t function,
                                               void* argument) {
  static constinit decltype(&thrd_create) real = nullptr;
  following(real, "thrd_create");
  if (!active) return real(thread, function, argument);
  return create_placed(function, argument, thrd_nomem,
                       [&](int (*run)(void*), void* start) { return real(thread, run, start); });
}

[[gnu::visibility("default")]] int sched_getaffinity(pid_t process, std::size_t bytes,
                                                     cpu_set_t* cpus) {
  static constinit decltype(&sched_getaffinity) real = nullptr;
  following(real, "sched_getaffinity");
  const int result = real(process, bytes, cpus);
  if (result == 0 && (process == 0 || process == getpid())) tell_whole_map(cpus, bytes);
  return result;
}

[[gnu::visibility("default")]] int pthread_getaffinity_np(pthread_t thread, std::size_t bytes,
                                                          cpu_set_t* cpus) {
  static constinit decltype(&pthread_getaffinity_np) real = nullptr;
  following(real, "pthread_getaffinity_np");
  const int result = real(thread, bytes, cpus);
  if (result == 0 && pthread_equal(thread, pthread_self()) != 0) tell_whole_map(cpus, bytes);
  return result;
}

[[gnu::visibility("default")]] int sched_setaffinity(pid_t process, std::size_t bytes,
                                                     const cpu_set_t* cpus) {
  static constinit decltype(&sched_setaffinity) real = nullptr;
  following(real, "sched_setaffinity");
  if (process == 0 || process == getpid()) give_own_cpus(cpus, bytes);
  return real(process, bytes, cpus);
}

[[gnu::visibility("default")]] int pthread_setaffinity_np(pthread_t thread, std::size_t bytes,
                                                          const cpu_set_t* cpus) {
  static constinit decltype(&pthread_setaffinity_np) real = nullptr;
  following(real, "pthread_setaffinity_np");
  if (pthread_equal(thread, pthread_self()) != 0) give_own_cpus(cpus, bytes);
  return real(thread, bytes, cpus);
}

/// Parallel programs whose processes are forked from the first one, as those of Charm++ are.
[[gnu::visibility("default")]] pid_t fork() {
  static constinit decltype(&fork) real = nullptr;
  following(real, "fork");
  if (!active || !words.count_forks) return real();
  const std::size_t number = draw_number();
  const pid_t child = real();
  if (child == 0) place_thread(number);
  if (child < 0) give_back(number);
  return child;
}

/// The last moment before main() that a preloaded library sees: the program's and its libraries'
/// constructors have not to run on the CPUs of thread 0 alone.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is glibc's.
[[gnu::visibility("default")]] int __libc_start_main(Main* main, int count, char** arguments,
                                                     void (*init)(), void (*finish)(),
                                                     void (*loader_finish)(), void* stack_end) {
  using StartMain = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  static constinit StartMain* real = nullptr;
  following(real, "__libc_start_main");
  if (active) {
    program_main = main;
    main = &placed_main;
  }
  return real(main, count, arguments, init, finish, loader_finish, stack_end);
}
}
