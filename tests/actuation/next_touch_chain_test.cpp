// Next touch among other handlers of SIGSEGV: each fault reaches the one that it is for. Each test
// runs in a process of its own, because handlers are the process's.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdlib>

#include "actuation/next_touch.h"
#include "os/linux.h"
#include "regions.h"

namespace homenode::actuation {
namespace {

sigjmp_buf back;
volatile sig_atomic_t caught = 0;
void* volatile fault_address = nullptr;
struct sigaction before_theirs {};

void jump_back(int) {
  caught = caught + 1;
  siglongjmp(back, 1);
}
void jump_back_with_address(int, siginfo_t* info, void*) {
  fault_address = info->si_addr;
  jump_back(SIGSEGV);
}
/// Makes the page of the fault accessible, as a garbage collector does.
void open_page(int, siginfo_t* info, void*) {
  caught = caught + 1;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr) / 4096 * 4096;
  mprotect(reinterpret_cast<void*>(address), 4096, PROT_READ | PROT_WRITE);  // NOLINT
}
/// Installed after ours; hands on what it does not want, as a good citizen does.
void hand_on(int number, siginfo_t* info, void* context) {
  caught = caught + 1;
  before_theirs.sa_sigaction(number, info, context);
}

void handle_by(void (*plain)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = plain;
  action.sa_flags = flags;
  sigaction(SIGSEGV, &action, nullptr);
}
void handle_by(void (*with_info)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = with_info;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before_theirs);
}

void touch(void* address) {
  *static_cast<volatile char*>(address) = 'x';
}

/// How a process ends that runs the body and then exits by its answer, 0 for true.
template <class Body>
int status_of(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

struct Memory {
  Memory() : armed(map_region(os, 2)), theirs(map_region(os, 2)) {
    os.populate_memory(armed.address, armed.bytes);
    mprotect(theirs.address, theirs.bytes, PROT_NONE);
  }
  os::Linux os;
  Region armed;
  Region theirs;
};

bool theirs_jumps_back(const Memory& memory) {
  const sig_atomic_t times = caught;
  if (sigsetjmp(back, 1) == 0) {
    touch(memory.theirs.address);
    return false;  // The access cannot have been allowed.
  }
  return caught == times + 1;
}

TEST(NextTouchChain, FaultsThatAreNotOursGoToAPlainHandlerEachTime) {
  EXPECT_EQ(status_of([] {
              Memory memory;
              handle_by(jump_back);
              if (!arm_next_touch(memory.os, memory.armed)) return false;
              // Left by a jump: the second one must not be taken for a part of the first.
              const bool good = theirs_jumps_back(memory) && theirs_jumps_back(memory);
              touch(memory.armed.address);
              return good && caught == 2 && next_touch_counts(memory.armed)->touched_units == 1;
            }),
            0);
}

TEST(NextTouchChain, HandlersThatAskForTheAddressGetIt) {
  EXPECT_EQ(status_of([] {
              Memory memory;
              handle_by(jump_back_with_address);
              if (!arm_next_touch(memory.os, memory.armed)) return false;
              return theirs_jumps_back(memory) && fault_address == memory.theirs.address;
            }),
            0);
}

TEST(NextTouchChain, HandlersThatReturnLetTheAccessBeTriedAgain) {
  EXPECT_EQ(status_of([] {
              Memory memory;
              handle_by(open_page);
              if (!arm_next_touch(memory.os, memory.armed)) return false;
              touch(memory.theirs.address);
              touch(memory.armed.address);
              return caught == 1 && next_touch_counts(memory.armed)->touched_units == 1;
            }),
            0);
}

TEST(NextTouchChain, AHandlerInstalledLaterMayHandFaultsOn) {
  EXPECT_EQ(status_of([] {
              Memory memory;
              handle_by(jump_back);
              if (!arm_next_touch(memory.os, memory.armed)) return false;
              handle_by(hand_on);
              touch(memory.armed.address);
              if (caught != 1 || next_touch_counts(memory.armed)->touched_units != 1) return false;
              // Before theirs again, which hands on to ours: it must end with the first of all.
              const Region other = map_region(memory.os, 1);
              if (!arm_next_touch(memory.os, other)) return false;
              touch(other.address);
              if (caught != 1) return false;
              if (sigsetjmp(back, 1) == 0) touch(memory.theirs.address);
              return caught == 3;  // Theirs, and then the plain one.
            }),
            0);
}

TEST(NextTouchChain, WithoutAHandlerTheProcessEndsByTheSignal) {
  const auto end = [](void (*handler)(int)) {
    return status_of([handler] {
      Memory memory;
      handle_by(handler);
      if (!arm_next_touch(memory.os, memory.armed)) return false;
      touch(memory.theirs.address);
      return false;
    });
  };
  // A fault cannot be ignored either.
  for (const auto handler : {SIG_DFL, SIG_IGN}) {
    const int status = end(handler);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
  }
}

TEST(NextTouchChain, ASignalThatWasSentEndsTheProcessOrIsIgnored) {
  const auto send = [](void (*handler)(int)) {
    return status_of([handler] {
      Memory memory;
      handle_by(handler);
      if (!arm_next_touch(memory.os, memory.armed)) return false;
      kill(getpid(), SIGSEGV);
      return true;
    });
  };
  EXPECT_EQ(send(SIG_IGN), 0);
  const int status = send(SIG_DFL);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST(NextTouchChain, AHandlerForOnceIsCalledOnce) {
  const int status = status_of([] {
    Memory memory;
    handle_by(jump_back, static_cast<int>(SA_RESETHAND));
    if (!arm_next_touch(memory.os, memory.armed) || !theirs_jumps_back(memory)) return false;
    touch(memory.theirs.address);
    return false;
  });
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST(NextTouchChain, MemoryThatWasFreedWhileArmedIsNoLongerOurs) {
  EXPECT_EQ(status_of([] {
              Memory memory;
              handle_by(jump_back_with_address);
              if (!arm_next_touch(memory.os, memory.armed)) return false;
              memory.os.unmap_memory(memory.armed.address, memory.armed.bytes);
              if (sigsetjmp(back, 1) == 0) touch(memory.armed.address);
              return caught == 1 && disarm_next_touch(memory.armed).has_value();
            }),
            0);
}

TEST(NextTouchChain, APageThatOthersCloseAfterItsTouchIsTheirs) {
  EXPECT_EQ(status_of([] {
              Memory memory;
              handle_by(open_page);
              if (!arm_next_touch(memory.os, memory.armed)) return false;
              touch(memory.armed.address);
              mprotect(memory.armed.address, 4096, PROT_READ);
              touch(memory.armed.address);
              if (caught != 1) return false;
              // And after the end.
              if (!disarm_next_touch(memory.armed)) return false;
              mprotect(memory.armed.address, 4096, PROT_READ);
              touch(memory.armed.address);
              return caught == 2;
            }),
            0);
}

}  // namespace
}  // namespace homenode::actuation
