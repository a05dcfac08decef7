// The two ways in which the sampler by protection keys learns of mappings, beside each other.
#include "agent/pkeys/process_mappings.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace homenode::agent::pkeys {
namespace {

constexpr std::size_t max_mappings = 4096;
struct List {
  Mapping mappings[max_mappings];
  std::size_t count = 0;
  bool complete = false;
};

void read_into(List& list) {
  list.count = 0;
  list.complete = read_mappings([&](const Mapping& mapping) {
    if (list.count == max_mappings) return false;
    list.mappings[list.count++] = mapping;
    return true;
  });
}

const Mapping* find(const List& list, const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < list.count; ++i) {
    const Mapping& mapping = list.mappings[i];
    if (mapping.first <= wanted && wanted < mapping.end) return &mapping;
  }
  return nullptr;
}

/// From here on ioctl(2) answers as a kernel does that knows no questions to /proc/PID/maps.
bool forget_questions() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

void* map(int rights, int kind) {
  constexpr std::size_t bytes = 16384;
  void* const found = mmap(nullptr, bytes, rights, kind | MAP_ANONYMOUS, -1, 0);
  return found == MAP_FAILED ? nullptr : found;
}

/// What a child finds, for the filter stays: 0, or which look failed.
int compare() {
  constexpr int both = PROT_READ | PROT_WRITE;
  const void* const own = map(both, MAP_PRIVATE);
  const void* const others[] = {map(both, MAP_SHARED), map(PROT_READ, MAP_PRIVATE),
                                map(PROT_NONE, MAP_PRIVATE), map(both | PROT_EXEC, MAP_PRIVATE)};
  const auto asked = std::make_unique<List>();
  const auto read = std::make_unique<List>();
  const int on_stack = 0;
  read_into(*asked);
  read_into(*asked);  // The first look may have let the stack grow.
  if (!forget_questions()) return 1;
  read_into(*read);
  for (const List* list : {asked.get(), read.get()}) {
    if (!list->complete || list->count < sizeof others / sizeof *others) return 2;
    if (const Mapping* found = find(*list, own); found == nullptr || !found->writable_private) {
      return 3;
    }
    for (const void* other : others) {
      const Mapping* const found = find(*list, other);
      if (found == nullptr || found->writable_private || found->is_ring) return 4;
    }
    const Mapping* const stack = find(*list, &on_stack);
    if (stack == nullptr || !stack->is_stack) return 5;
  }
  for (std::size_t i = 0; i < asked->count; ++i) {
    const Mapping& one = asked->mappings[i];
    const Mapping* const same = find(*read, reinterpret_cast<const void*>(one.first));  // NOLINT
    // What the kernel itself has there, as [vsyscall], need not be told.
    if (same == nullptr) return 6;
    if (same->first != one.first || same->end != one.end) return 7;
    if (same->writable_private != one.writable_private || same->is_stack != one.is_stack) return 8;
  }
  return 0;
}

TEST(ProcessMappings, AreTheSameByQuestionsAndFromTheText) {
  const pid_t child = fork();
  if (child == 0) _exit(compare());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace homenode::agent::pkeys
