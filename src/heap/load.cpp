// What happens when the library is loaded into a program, when the program loads others, and when
// it ends.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "heap/process.h"
#include "heap/statistics.h"
#include "heap/text.h"

namespace homenode::heap {
namespace {

/// A copy of stderr: many programs close it before the libraries' last words.
void keep_output() {
  constexpr int above_the_programs = 100;
  const int copy = fcntl(2, F_DUPFD_CLOEXEC, above_the_programs);
  set_output(copy >= 0 ? copy : 2);
}

void write_on_signal(int /*signal*/) {
  ask_for_statistics();
}

void tell() {
  Text text;
  text.add("homenode-malloc: policy ").add(policy_name(settings().policy));
  if (is_uniform()) {
    text.add(is_per_node(settings().policy) ? "; one node: a plain allocator\n"
                                            : "; one arena for all nodes\n");
  } else {
    text.add("; each node has its own arena\n");
  }
  text.write(2);
}

/// Statistics are asked for by the environment alone; without that, nothing is set up.
[[gnu::constructor]] void begin() {
  start_process();
  if (settings().verbose) tell();
  if (settings().verbose || settings().statistics || settings().statistics_signal > 0) {
    keep_output();
  }
  if (settings().statistics_signal > 0) {
    struct sigaction action {};
    action.sa_handler = &write_on_signal;
    action.sa_flags = SA_RESTART;
    (void)sigaction(settings().statistics_signal, &action, nullptr);
  }
}

[[gnu::destructor]] void end() {
  if (settings().verbose) {
    const Totals totals = count_all();
    if (totals.refused_policies > 0) {
      Text text;
      text.add("homenode-malloc: the kernel refused ").add(totals.refused_policies);
      text.add(
          " policies, so that memory went to the node of its first touch; in a container, add "
          "CAP_SYS_NICE\n");
      text.write(output());
    }
  }
  if (settings().statistics) write_statistics(output());
}

}  // namespace
}  // namespace homenode::heap

#if defined(HN_HEAP_SHARED)
/// A library that is opened with RTLD_DEEPBIND sees libc's malloc before ours, and then frees our
/// blocks with it. So the flag is dropped, unless HOMENODE_MALLOC_DEEPBIND=1 asks to keep it. The
/// call is the last thing here and becomes a jump: libc looks at who called, for the caller's own
/// search path.
extern "C" [[gnu::visibility("default")]] void* dlopen(const char* file, int mode) {
  using Open = void*(const char*, int);
  static constinit Open* libc_dlopen = nullptr;
  if (libc_dlopen == nullptr) libc_dlopen = reinterpret_cast<Open*>(dlsym(RTLD_NEXT, "dlopen"));
  if (!homenode::heap::settings().keep_deepbind) mode &= ~RTLD_DEEPBIND;
  return libc_dlopen(file, mode);
}
#endif
