#include "agent/sites/recorder.h"

#include <pthread.h>

#include <cstring>

#include "agent/sites/document.h"
#include "agent/sites/events.h"
#include "base/raw_call.h"

extern "C" char** environ;

namespace homenode::agent {

constinit std::size_t least_bytes = 0;

namespace {

constexpr int error_stream = 2;

constinit SampleOutput output;
constinit EventLog events;
constinit SiteTable sites;
constinit StackMemory stacks;
constinit bool recording = false;
constinit bool beginning = false;
/// This thread is within a call of ours: what the call itself does, or a signal handler that
/// interrupts it, is not recorded.
constinit thread_local bool busy = false;

class Guard {
 public:
  Guard() : entered_(!busy) { busy = true; }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() {
    if (entered_) busy = false;
  }
  [[nodiscard]] bool entered() const { return entered_; }

 private:
  bool entered_;
};

std::uint32_t own_pid() {
  return static_cast<std::uint32_t>(raw_call(SYS_getpid));
}

void tell_failure(const char* path) {
  constexpr char what[] =
      "homenode: the program's allocations are not recorded: HOMENODE_SAMPLE names no sample file "
      "that can be appended to, ";
  raw_write(error_stream, what, sizeof what - 1);
  raw_write(error_stream, path, std::strlen(path));
  raw_write(error_stream, "\n", 1);
}

void begin_process() {
  const char* const path = find_sample_file(environ);
  if (path == nullptr) return;
  const std::uint32_t pid = own_pid();
  if (output.open(path) < 0 || !sites.begin(pid)) return tell_failure(path);
  events.set_process(pid);
  sites.announce_process(output, "exec");
  __atomic_store_n(&recording, true, __ATOMIC_RELEASE);
}

/// At the first call that comes once libc knows the environment: libraries allocate before main()
/// and before our constructor.
void begin_once() {
  if (environ == nullptr) return;
  if (__atomic_exchange_n(&beginning, true, __ATOMIC_ACQ_REL)) return;
  begin_process();
  __atomic_store_n(&least_bytes, recording ? least_bytes_recorded : SIZE_MAX, __ATOMIC_RELEASE);
}

void before_fork() {
  busy = true;
  events.lock_all(output);
}

void after_fork() {
  events.unlock_all();
  busy = false;
}

void begin_child() {
  const std::uint32_t pid = own_pid();
  output.reopen();
  events.begin_child(pid);
  stacks.forget();
  sites.begin_child(pid);
  sites.announce_process(output, "fork");
  busy = false;
}

[[gnu::constructor]] void begin_recording() {
  Guard guard;
  begin_once();
  if (recording) pthread_atfork(&before_fork, &after_fork, &begin_child);
}

[[gnu::destructor]] void end_recording() {
  Guard guard;
  if (recording) events.flush(output);
}

/// The site of the stack that a hook was called from. Not inlined: its frame is what tells stacks
/// apart.
[[gnu::noinline]] std::uint32_t find_site(const Request& request) {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto function = static_cast<unsigned>(request.function);
  if (const std::uint32_t known = stacks.recall(request.caller, frame, function)) return known;
  Stack stack;
  take_stack(request.caller, stack);
  const std::uint32_t site = sites.find(output, stack, request.function);
  if (site != 0) stacks.remember(stack, frame, function, site);
  return site;
}

void record(const Request& request, const void* memory, std::size_t bytes, EventKind kind) {
  const Guard guard;
  if (!guard.entered()) return;
  if (least_bytes == 0) begin_once();
  if (!is_recording() || bytes < least_bytes) return;
  // The time first: nobody else can have been given this memory since.
  const std::uint64_t time_ns = now_ns();
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  events.add(output, {time_ns, address, bytes, find_site(request), kind});
}

void record_end(const void* memory, std::size_t bytes, std::uint64_t time_ns, EventKind kind) {
  const Guard guard;
  if (!guard.entered() || !is_recording()) return;
  events.add(output, {time_ns, reinterpret_cast<std::uintptr_t>(memory), bytes, 0, kind});
}

}  // namespace

bool is_recording() {
  return __atomic_load_n(&recording, __ATOMIC_ACQUIRE);
}

void record_allocated(const Request& request, const void* memory, std::size_t bytes) {
  if (memory != nullptr) record(request, memory, bytes, EventKind::allocated);
}

void record_freed(const void* memory, std::uint64_t time_ns) {
  record_end(memory, 0, time_ns, EventKind::freed);
}

void record_mapped(const Request& request, const void* memory, std::size_t bytes) {
  record(request, memory, bytes, EventKind::mapped);
}

void record_name(const char* name, std::uintptr_t address, std::size_t bytes) {
  const Guard guard;
  if (!guard.entered() || !is_recording()) return;
  Document<1024> document("regions", own_pid());
  document << R"(,"regions":[{"begin":)" << address << R"(,"end":)" << address + bytes
           << R"(,"name":")";
  document.write_text(name);
  document << R"("}]})";
  document.append_to(output);
}

void record_unmapped(const void* memory, std::size_t bytes, std::uint64_t time_ns) {
  record_end(memory, bytes, time_ns, EventKind::unmapped);
}

}  // namespace homenode::agent
