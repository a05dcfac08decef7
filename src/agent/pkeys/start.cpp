// libhomenode-pkeys.so: preloaded into a program, it samples which thread uses which memory by
// protection keys. Here it begins and ends, and threads get to be watched. Serves `homenode
// sample`.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdlib>

#include "agent/calls.h"
#include "agent/pkeys/entry.h"
#include "agent/pkeys/keys.h"
#include "agent/pkeys/sampler.h"
#include "agent/pkeys/window.h"
#include "agent/sample_output.h"

namespace homenode::agent::pkeys {
namespace {

using Main = int(int, char**, char**);

constinit const char* file = nullptr;
constinit Settings settings;
constinit const char* refusal = nullptr;
constinit bool prepared = false;
constinit pthread_key_t end_of_thread;
constinit Main* program_main = nullptr;

/// Before the constructors of the program, which may start threads.
[[gnu::constructor]] void begin(int, char**, char** environment) {
  file = find_sample_file(environment);
  const char* const text = find_settings(environment);
  if (file == nullptr || text == nullptr) return;
  refusal = read_settings(text, settings) ? prepare() : "HOMENODE_SAMPLE_PKEYS cannot be read";
  prepared = refusal == nullptr &&
             pthread_key_create(&end_of_thread, [](void*) { leave_for_good(); }) == 0;
  if (prepared) watch_thread(ThreadOrigin::first);
}

[[gnu::destructor]] void end() {
  stop_sampler();
}

int sampled_main(int count, char** arguments, char** environment) {
  start_sampler(file, settings, refusal);
  return program_main(count, arguments, environment);
}

void watch_until_end(ThreadOrigin origin) {
  if (pthread_setspecific(end_of_thread, &end_of_thread) == 0) watch_thread(origin);
}

/// What a new thread begins with instead of the program's function. It has all rights then, as its
/// creator had, who was away.
template <class Return>
struct Start {
  Return (*function)(void*);
  void* argument;

  static Return run(void* memory) {
    const Start start = *static_cast<Start*>(memory);
    std::free(memory);
    watch_until_end(ThreadOrigin::made);
    return start.function(start.argument);
  }
};

template <class Return, class Create>
int create_watched(Return (*function)(void*), void* argument, int no_memory, Create create) {
  auto* const start = static_cast<Start<Return>*>(std::malloc(sizeof(Start<Return>)));
  if (start == nullptr) return no_memory;
  *start = {function, argument};
  int result = 0;
  {
    const Away away;
    result = create(&Start<Return>::run, start);
  }
  if (result != 0) std::free(start);
  return result;
}

}  // namespace
}  // namespace homenode::agent::pkeys

using namespace homenode::agent::pkeys;
using homenode::agent::following;

extern "C" {

[[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                  const pthread_attr_t* attributes,
                                                  void* (*function)(void*), void* argument) {
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static constinit Create* real = nullptr;
  following(real, "pthread_create");
  if (!prepared || !is_running()) return real(thread, attributes, function, argument);
  return create_watched(function, argument, EAGAIN, [&](void* (*run)(void*), void* start) {
    return real(thread, attributes, run, start);
  });
}

[[gnu::visibility("default")]] int thrd_create(thrd_t* thread, thrd_start_t function,
                                               void* argument) {
  using Create = int(thrd_t*, thrd_start_t, void*);
  static constinit Create* real = nullptr;
  following(real, "thrd_create");
  if (!prepared || !is_running()) return real(thread, function, argument);
  return create_watched(function, argument, thrd_nomem,
                        [&](int (*run)(void*), void* start) { return real(thread, run, start); });
}

/// jemalloc and others look for libc's pthread_create behind this one, and no window can open while
/// there is a thread that nobody watches. Such threads mostly name themselves as they begin.
[[gnu::visibility("default")]] int pthread_setname_np(pthread_t thread, const char* name) {
  using SetName = int(pthread_t, const char*);
  static constinit SetName* real = nullptr;
  following(real, "pthread_setname_np");
  const bool own = pthread_equal(thread, pthread_self()) != 0;
  if (own && prepared && is_running() && own_thread() == nullptr) {
    watch_until_end(ThreadOrigin::found);
  }
  return real(thread, name);
}

/// A program that uses protection keys itself gets all of them, and is not sampled any longer.
[[gnu::visibility("default")]] int pkey_alloc(unsigned flags, unsigned rights) {
  if (prepared) {
    refuse("it uses protection keys itself");
    stop_sampler();
    give_keys_back();  // A forked child has them still.
  }
  const long key = kernel_call(SYS_pkey_alloc, flags, rights);
  if (key >= 0) return static_cast<int>(key);
  errno = static_cast<int>(-key);
  return -1;
}

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is glibc's.
[[gnu::visibility("default")]] int __libc_start_main(Main* main, int count, char** arguments,
                                                     void (*init)(), void (*finish)(),
                                                     void (*loader_finish)(), void* stack_end) {
  using StartMain = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  static constinit StartMain* real = nullptr;
  following(real, "__libc_start_main");
  if (prepared || refusal != nullptr) {
    program_main = main;
    main = &sampled_main;
  }
  return real(main, count, arguments, init, finish, loader_finish, stack_end);
}
}
