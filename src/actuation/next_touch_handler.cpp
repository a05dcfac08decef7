// Everything here that handle() reaches must be async-signal-safe: no allocation, no lock, no
// stdio, errno as it was.
#include "actuation/next_touch_handler.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <vector>

#include "machine/kernel_files.h"

namespace homenode::actuation {

namespace {

constinit NextTouchTable the_table{};

/// By node: the node that takes its pages, plus one; 0 where it takes them itself. Nodes beyond the
/// table take theirs too.
constinit std::array<std::atomic<std::uint32_t>, 1024> targets{};

NodeSet node_list(os::Os& os, const char* name) {
  NodeSet nodes;
  return machine::read_node_list(os, name, nodes) < 0 ? NodeSet{} : nodes;
}

/// The entry for `node`: the nearest by its SLIT distances, of which sysfs has one for each node
/// that is online.
std::uint32_t target_of(os::Os& os, NodeId node, const NodeSet& online,
                        const NodeSet& with_memory) {
  const std::vector<unsigned> distances = machine::read_node_distances(os, node);
  const std::vector<NodeId> others = online.to_vector();
  unsigned nearest = 0;
  std::uint32_t target = 0;
  for (std::size_t i = 0; i < std::min(others.size(), distances.size()); ++i) {
    if (!with_memory.contains(others[i]) || (nearest != 0 && distances[i] >= nearest)) continue;
    nearest = distances[i];
    target = others[i].value() + 1;
  }
  return target;
}

}  // namespace

NextTouchTable& next_touch_table() {
  return the_table;
}

NodeId next_touch_target(NodeId node) {
  if (node.value() >= targets.size()) return node;
  const std::uint32_t target = targets[node.value()].load();
  return target == 0 ? node : NodeId(target - 1);
}

void learn_next_touch_targets(os::Os& os) {
  const NodeSet with_memory = node_list(os, "has_memory");
  const NodeSet without = node_list(os, "has_cpu") - with_memory;
  const NodeSet online = without.empty() ? NodeSet{} : node_list(os, "online");
  for (std::uint32_t value = 0; value < targets.size(); ++value) {
    const NodeId node(value);
    const bool has_none = !with_memory.empty() && without.contains(node);
    targets[value] = has_none ? target_of(os, node, online, with_memory) : 0;
  }
}
namespace {

constexpr int readable_and_writable = PROT_READ | PROT_WRITE;
constexpr std::size_t pages_per_call = 64;

/// Who handled SIGSEGV before us, the latest last. More than one when others install theirs after
/// ours and we are put before them again.
struct Earlier {
  std::atomic<bool> known{false};
  std::atomic<bool> used{false};
  struct sigaction action {};
};
constinit std::array<Earlier, 16> earlier{};
constinit std::atomic<std::size_t> earlier_count{0};

/// Initial-exec, because the general model may allocate at the first use in a thread.
#define HN_HANDLER_TLS [[gnu::tls_model("initial-exec")]] constinit thread_local
/// Which of the earlier handlers this thread is inside of, and in which signal. A handler that is
/// left by siglongjmp() never comes back to say that it is over, so a signal of its own is told by
/// its frame, which then is not below that of the one before.
HN_HANDLER_TLS std::size_t chain_depth = 0;
HN_HANDLER_TLS const void* chain_context = nullptr;
HN_HANDLER_TLS std::uintptr_t chain_frame = 0;
/// The last fault of this thread that another thread had seen to already.
HN_HANDLER_TLS std::uintptr_t seen_address = 0;
HN_HANDLER_TLS std::uint64_t seen_state = 0;
#undef HN_HANDLER_TLS

/// Moves the unit's pages to the node, as far as they are present.
void move_unit(NextTouchPlace& place, os::Os& os, std::uintptr_t first, std::uintptr_t end,
               NodeId node) {
  void* pages[pages_per_call];
  int wanted[pages_per_call];
  int status[pages_per_call];
  const std::size_t page_bytes = place.page_bytes.load();
  const std::size_t whole = (end - first + page_bytes - 1) / page_bytes;
  std::size_t moved = 0;
  for (std::size_t start = 0; start < whole; start += pages_per_call) {
    const std::size_t count = std::min(pages_per_call, whole - start);
    for (std::size_t i = 0; i < count; ++i) {
      pages[i] = reinterpret_cast<void*>(first + (start + i) * page_bytes);  // NOLINT
      wanted[i] = static_cast<int>(node.value());
      status[i] = -ENOENT;
    }
    (void)os.move_pages(0, {pages, count}, {wanted, count}, {status, count}, MPOL_MF_MOVE);
    moved += static_cast<std::size_t>(std::count(status, status + count, wanted[0]));
  }
  place.pages_moved += moved;
  place.pages_left += whole - moved;
}

/// Makes the unit accessible; where mappings run out, all of the region.
bool release_unit(NextTouchPlace& place, os::Os& os, std::uintptr_t first, std::uintptr_t end) {
  void* const address = reinterpret_cast<void*>(first);  // NOLINT
  if (os.protect_memory(address, end - first, readable_and_writable) == 0) return true;
  const std::uintptr_t all = place.first.load();
  void* const whole = reinterpret_cast<void*>(all);  // NOLINT
  place.gave_up = true;
  return os.protect_memory(whole, place.end.load() - all, readable_and_writable) == 0;
}

/// A fault that needs nothing any more is met once by a thread that lost a race; at a second time
/// somebody else made the page inaccessible, and it is theirs.
bool seen_before(std::uintptr_t address, std::uint64_t state) {
  const bool again = seen_address == address && seen_state == state;
  seen_address = address;
  seen_state = state;
  return again;
}

/// True when the access may be tried again. pre: the place cannot go away meanwhile.
bool touch(NextTouchPlace& place, std::uintptr_t address, std::uint64_t state) {
  const std::uintptr_t all = place.first.load();
  const std::size_t unit_bytes = place.unit_bytes.load();
  const std::size_t number = (address - all) / unit_bytes;
  const std::uintptr_t first = all + number * unit_bytes;
  const std::uintptr_t end = std::min(first + unit_bytes, place.end.load());
  os::Os& os = *place.os.load();
  std::atomic<UnitState>& unit = place.units.load()[number];
  UnitState before = UnitState::untouched;
  if (unit.compare_exchange_strong(before, UnitState::claimed)) {
    // Accessible first: no kernel then has a reason to pass the pages over. Whoever else touches
    // them while they move is served by the kernel.
    const bool released = release_unit(place, os, first, end);
    CpuId cpu;
    NodeId node;
    if (os.getcpu(cpu, node) == 0) {
      move_unit(place, os, first, end, next_touch_target(node));
    } else {
      place.pages_left += (end - first) / os.page_bytes();
    }
    ++place.touched_units;
    unit = UnitState::done;
    return released;
  }
  // Nobody waits for the winner: it may be a thread that a fork() left behind.
  if (before == UnitState::claimed) return release_unit(place, os, first, end);
  return !seen_before(address, state);
}

/// True when the access may be tried again.
bool is_ours(std::uintptr_t address) {
  for (NextTouchPlace& place : next_touch_table()) {
    const std::uint64_t state = place.state.load();
    if (NextTouchPlace::state_of(state) != NextTouchPlace::armed || !place.contains(address)) {
      continue;
    }
    ++place.handlers;
    const bool stays = place.state.load() == state;
    const bool ours = stays && touch(place, address, state);
    --place.handlers;
    if (stays) return ours;
  }
  // The fault may be older than the end of the region that raised it, or than its being armed anew:
  // the access is tried once more. A fault that comes again while nothing was armed or ended is
  // somebody else's.
  std::uint64_t states = 0;
  for (NextTouchPlace& place : next_touch_table()) states += place.state.load();
  return !seen_before(address, states);
}

/// As if nobody handled the signal: the process ends by it, at the instruction that faulted.
void by_default(int number, const siginfo_t& info) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, nullptr);
  // A fault comes again by itself when the handler returns; what was sent must be sent again.
  if (info.si_code <= 0) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

/// Blocks the signals that a handler asked for, as the kernel would; gives those blocked before.
sigset_t block_for(const struct sigaction& action, int number) {
  sigset_t blocked = action.sa_mask;
  sigset_t before;
  const bool deferred = (action.sa_flags & SA_NODEFER) == 0;
  if (deferred) sigaddset(&blocked, number);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if (!deferred) {
    sigset_t just_this;
    sigemptyset(&just_this);
    sigaddset(&just_this, number);
    pthread_sigmask(SIG_UNBLOCK, &just_this, nullptr);
  }
  return before;
}

/// To whoever was there before us, on the terms that they asked for.
void chain(int number, siginfo_t* info, void* context) {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool nested = chain_depth > 0 && context == chain_context && frame < chain_frame;
  const std::size_t depth = nested ? chain_depth : 0;
  std::size_t left = std::min(earlier_count.load(), earlier.size());
  left -= std::min(left, depth);
  while (left > 0 && !earlier[left - 1].known.load()) --left;
  if (left == 0) return by_default(number, *info);
  const struct sigaction& action = earlier[left - 1].action;
  const bool once = (action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0;
  if (once && earlier[left - 1].used.exchange(true)) return by_default(number, *info);
  const bool takes_info = (action.sa_flags & SA_SIGINFO) != 0;
  if (!takes_info && action.sa_handler == SIG_DFL) return by_default(number, *info);
  if (!takes_info && action.sa_handler == SIG_IGN) {
    if (info->si_code <= 0) return;    // Sent: ignored.
    return by_default(number, *info);  // A fault cannot be ignored: the kernel does not either.
  }
  const sigset_t before = block_for(action, number);
  chain_depth = depth + 1;
  chain_context = context;
  chain_frame = frame;
  if (takes_info) {
    action.sa_sigaction(number, info, context);
  } else {
    action.sa_handler(number);
  }
  chain_depth = depth;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void handle(int number, siginfo_t* info, void* context) {
  const int errno_before = errno;
  // Only an access that a mapping forbids can be ours; one that meets no mapping never is.
  const bool forbidden = info->si_code == SEGV_ACCERR;
  if (!forbidden || !is_ours(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    chain(number, info, context);
  }
  errno = errno_before;
}

bool is_handle(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle;
}

void remember(const struct sigaction& action) {
  const std::size_t at = earlier_count.fetch_add(1);
  if (at >= earlier.size()) return;
  earlier[at].action = action;
  earlier[at].known = true;
}

}  // namespace

void install_next_touch_handler() {
  struct sigaction current {};
  sigaction(SIGSEGV, nullptr, &current);
  if (is_handle(current)) return;
  remember(current);  // Before ours is there, so that no fault of theirs can be lost.
  struct sigaction ours {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  struct sigaction replaced {};
  sigaction(SIGSEGV, &ours, &replaced);
  const bool same = replaced.sa_sigaction == current.sa_sigaction;
  if (!same && !is_handle(replaced)) remember(replaced);
}

}  // namespace homenode::actuation
