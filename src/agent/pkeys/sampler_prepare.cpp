// What sampling needs of this machine, kernel, libc and program, looked for before it begins.
#include "agent/pkeys/sampler.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <linux/membarrier.h>
#include <linux/prctl.h>

#include <cerrno>
#include <initializer_list>

#include "agent/pkeys/entry.h"
#include "agent/pkeys/handlers.h"
#include "agent/pkeys/keys.h"
#include "agent/pkeys/opening.h"
#include "agent/pkeys/signal_frame.h"
#include "agent/pkeys/window.h"

namespace homenode::agent::pkeys {
namespace {

bool has_keys() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned switched_on = 1U << 4U;  // OSPKE
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & switched_on) != 0;
}

/// glibc 2.41 and later look at the instruction where a thread waits to know whether it may be
/// cancelled, so it must be libc's.
bool may_pass_blocking() {
  const char* const version = gnu_get_libc_version();
  if (version[0] != '2' || version[1] != '.') return false;
  unsigned minor = 0;
  for (const char* at = version + 2; *at >= '0' && *at <= '9'; ++at) {
    minor = minor * 10 + static_cast<unsigned>(*at - '0');
  }
  return minor < 41;
}

bool find_area() {
  const auto* const offset = static_cast<std::ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
  const auto* const size = static_cast<unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
  if (offset == nullptr || size == nullptr || *size == 0) return false;
  the_run().area_offset = *offset;
  return true;
}

/// Sanitizers have handlers and system calls of their own, and know each byte of the program.
bool has_sanitizer() {
  for (const char* const name : {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init"}) {
    if (dlsym(RTLD_DEFAULT, name) != nullptr) return true;
  }
  dlerror();  // The program shall not find our errors.
  return false;
}

/// The static data of the program itself that has no file behind it; libraries' are not sampled.
int take_program(dl_phdr_info* info, std::size_t, void* result) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || part.p_memsz <= part.p_filesz) continue;
    // Its first page holds what libc shares with the program (stdout, environ).
    const std::uintptr_t data = info->dlpi_addr + part.p_vaddr;
    const std::uintptr_t first =
        ((data + part.p_filesz + page_bytes - 1) & ~(page_bytes - 1)) + page_bytes;
    *static_cast<AddressRange*>(result) = {first, (data + part.p_memsz) & ~(page_bytes - 1)};
  }
  return 1;  // The program is the first one.
}

}  // namespace

const char* prepare() {
  if (!has_keys()) return "the processor or the kernel has no memory protection keys (pku, ospke)";
  Run& run = the_run();
  run.rights_offset = find_rights_offset();
  if (run.rights_offset == 0) return "the processor does not save protection keys (XSAVE)";
  if (has_sanitizer()) return "the program has a sanitizer in it";
  if (!find_area()) {
    return "glibc has registered no restartable sequences; that needs glibc 2.35, and "
           "glibc.pthread.rseq must not be 0 in GLIBC_TUNABLES";
  }
  if (kernel_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0) != 0) {
    return "the kernel has no Syscall User Dispatch (Linux 5.11), or a sandbox forbids it";
  }
  if (kernel_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0) != 0) {
    return "the kernel refuses membarrier(2) for restartable sequences (Linux 5.10)";
  }
  if (take_keys() < 2) return "no protection keys are left: the program or a library uses them";
  run.pass_blocking = may_pass_blocking();
  AddressRange program;
  dl_iterate_phdr(&take_program, &program);
  keep_initial_memory(program);
  if (!install_handlers()) return "the kernel refuses to change the action of SIGSEGV or SIGSYS";
  run.pid.store_relaxed(static_cast<pid_t>(kernel_call(SYS_getpid)));
  run.active.store_release(true);
  return nullptr;
}

}  // namespace homenode::agent::pkeys
