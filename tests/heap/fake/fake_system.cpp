#include "fake_system.h"

#include <linux/futex.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>

#include "heap/system.h"

namespace homenode::heap {
namespace {

constexpr std::size_t far_alignment = std::size_t{64} << 20;

// Only what needs no allocation and no constructor: forks and threads come at any time.
std::mutex fake_lock;
fake::Refusal refused;
unsigned counts[fake::call_count];
std::uint64_t now_ms = 1;
std::size_t far_bytes = 0;
std::size_t given_back_bytes = 0;
std::size_t wanted_huge_bytes = 0;
bool new_memory_is_locked = false;
std::uint64_t without_policy = 0;
system::Calls call_totals{};

/// 0, or -errno when the call is refused.
int enter(fake::Call call) {
  const std::lock_guard guard(fake_lock);
  const unsigned count = ++counts[static_cast<unsigned>(call)];
  const bool is_refused = call == refused.call && count >= refused.first && count <= refused.last;
  return is_refused ? -refused.error : 0;
}

}  // namespace

namespace fake {

const char* name_of(Call call) {
  constexpr const char* names[call_count] = {"map",     "unmap",    "resize", "move",
                                             "discard", "bind",     "name",   "allowed_nodes",
                                             "get_cpu", "read_file"};
  return names[static_cast<unsigned>(call)];
}

void refuse(const Refusal& refusal) {
  const std::lock_guard guard(fake_lock);
  refused = refusal;
  std::fill(std::begin(counts), std::end(counts), 0U);
}

unsigned calls_of(Call call) {
  const std::lock_guard guard(fake_lock);
  return counts[static_cast<unsigned>(call)];
}

void set_milliseconds(std::uint64_t now) {
  const std::lock_guard guard(fake_lock);
  now_ms = now;
}

void lock_new_memory(bool locked) {
  const std::lock_guard guard(fake_lock);
  new_memory_is_locked = locked;
}

std::size_t huge_page_bytes() {
  const std::lock_guard guard(fake_lock);
  return wanted_huge_bytes;
}

std::size_t mapped_bytes() {
  const std::lock_guard guard(fake_lock);
  return far_bytes;
}

std::uint64_t ranges_without_policy() {
  const std::lock_guard guard(fake_lock);
  return without_policy;
}

std::size_t discarded_bytes() {
  const std::lock_guard guard(fake_lock);
  return given_back_bytes;
}

}  // namespace fake

namespace system {

void* map(std::size_t bytes, std::size_t alignment) {
  if (enter(fake::Call::map) != 0) return nullptr;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  const std::size_t wide = bytes + alignment;
  void* const got = mmap(nullptr, wide, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  auto* const first = static_cast<char*>(got);
  const std::size_t before =
      (alignment - reinterpret_cast<std::uintptr_t>(got) % alignment) % alignment;
  if (before > 0) munmap(first, before);
  munmap(first + before + bytes, wide - before - bytes);
  const std::lock_guard guard(fake_lock);
  ++call_totals.maps;
  if (alignment >= far_alignment) far_bytes += bytes;
  return first + before;
}

int unmap(void* address, std::size_t bytes) {
  if (const int error = enter(fake::Call::unmap)) return error;
  if (munmap(address, bytes) != 0) return -errno;
  const std::lock_guard guard(fake_lock);
  far_bytes -= bytes;
  return 0;
}

int resize(void* address, std::size_t old_bytes, std::size_t new_bytes) {
  if (const int error = enter(fake::Call::resize)) return error;
  if (mremap(address, old_bytes, new_bytes, 0) == MAP_FAILED) return -ENOMEM;
  const std::lock_guard guard(fake_lock);
  far_bytes += new_bytes - old_bytes;
  return 0;
}

int move(void* from, std::size_t old_bytes, void* to, std::size_t new_bytes) {
  if (const int error = enter(fake::Call::move)) return error;
  if (mremap(from, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
    return -errno;
  }
  const std::lock_guard guard(fake_lock);
  far_bytes -= old_bytes;
  return 0;
}

int discard(void* address, std::size_t bytes) {
  if (const int error = enter(fake::Call::discard)) return error;
  if (madvise(address, bytes, MADV_DONTNEED) != 0) return -errno;
  const std::lock_guard guard(fake_lock);
  given_back_bytes += bytes;
  return 0;
}

int bind(void* /*address*/, std::size_t /*bytes*/, int mode, const NodeMask& /*nodes*/,
         unsigned /*flags*/) {
  const int error = enter(fake::Call::bind);
  const std::lock_guard guard(fake_lock);
  ++call_totals.policies;
  if (error == 0) return 0;
  ++call_totals.refused_policies;
  constexpr int preferred_many = 5;  // For which an older kernel is asked for another policy.
  if (error != -EINVAL || mode != preferred_many) ++without_policy;
  return error;
}

int name(void* /*address*/, std::size_t /*bytes*/, const char* /*text*/) {
  return enter(fake::Call::name);
}

bool locks_new_memory() {
  const std::lock_guard guard(fake_lock);
  return new_memory_is_locked;
}

int discard_locked(void* /*address*/, std::size_t /*bytes*/) {
  return 0;
}

int use_small_pages(void* /*address*/, std::size_t /*bytes*/) {
  return 0;
}

int use_huge_pages(void* /*address*/, std::size_t bytes) {
  const std::lock_guard guard(fake_lock);
  wanted_huge_bytes += bytes;
  return 0;
}

int node_of(const void* /*address*/) {
  return 0;
}

int allowed_nodes(NodeMask& nodes) {
  nodes = {};
  if (const int error = enter(fake::Call::allowed_nodes)) return error;
  nodes.add(0);
  nodes.add(1);
  return 0;
}

int get_cpu(unsigned& cpu, unsigned& node) {
  if (const int error = enter(fake::Call::get_cpu)) return error;
  cpu = 0;
  node = 0;
  return 0;
}

long read_file(const char* path, char* buffer, std::size_t room) {
  if (const int error = enter(fake::Call::read_file)) return error;
  const std::string file = path;
  const char* text = "";
  if (file.ends_with("/online") || file.ends_with("/has_memory")) text = "0-1\n";
  if (file.ends_with("/node0/cpulist")) text = "0-8190\n";
  if (file.ends_with("/node1/cpulist")) text = "8191\n";
  const std::size_t bytes = std::min(room, std::strlen(text));
  std::copy_n(text, bytes, buffer);
  return static_cast<long>(bytes);
}

void write(int file, const char* text, std::size_t bytes) {
  (void)!::write(file, text, bytes);
}

std::uint64_t milliseconds() {
  const std::lock_guard guard(fake_lock);
  return now_ms;
}

void wait(unsigned* word, unsigned value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nullptr);
}

void wake(unsigned* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

bool thread_gone(int thread) {
  return syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
}

int thread_id() {
  return static_cast<int>(syscall(SYS_gettid));
}

void stop() {
  std::abort();
}

Calls calls() {
  const std::lock_guard guard(fake_lock);
  return call_totals;
}

}  // namespace system
}  // namespace homenode::heap
