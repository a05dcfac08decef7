#include "agent/pkeys/calls_table.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <csignal>
#include <cstddef>
#include <cstring>

namespace homenode::agent::pkeys {
namespace {

/// Calls that return soon.
constexpr std::uint16_t short_calls[] = {
    SYS_open,
    SYS_openat,
    SYS_close,
    SYS_stat,
    SYS_fstat,
    SYS_lstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_lseek,
    SYS_access,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_pipe,
    SYS_pipe2,
    SYS_sched_yield,
    SYS_mincore,
    SYS_dup,
    SYS_dup2,
    SYS_dup3,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_socket,
    SYS_shutdown,
    SYS_bind,
    SYS_listen,
    SYS_getsockname,
    SYS_getpeername,
    SYS_socketpair,
    SYS_setsockopt,
    SYS_getsockopt,
    SYS_uname,
    SYS_ftruncate,
    SYS_truncate,
    SYS_getdents64,
    SYS_getcwd,
    SYS_rename,
    SYS_renameat,
    SYS_renameat2,
    SYS_mkdir,
    SYS_mkdirat,
    SYS_rmdir,
    SYS_unlink,
    SYS_unlinkat,
    SYS_readlink,
    SYS_readlinkat,
    SYS_gettimeofday,
    SYS_getrusage,
    SYS_sysinfo,
    SYS_times,
    SYS_getuid,
    SYS_getgid,
    SYS_geteuid,
    SYS_getegid,
    SYS_getpgrp,
    SYS_getrlimit,
    SYS_sched_getparam,
    SYS_time,
    SYS_getcpu,
    SYS_sched_setaffinity,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_getrandom,
    SYS_sched_getaffinity,
    SYS_epoll_create,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_sched_getscheduler,
    SYS_eventfd2,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    SYS_tgkill,
    SYS_kill,
    SYS_fadvise64,
    SYS_get_mempolicy,
    SYS_set_mempolicy,
    SYS_mbind,
    SYS_move_pages,
    SYS_madvise,
    SYS_membarrier,
    SYS_fstatfs,
    SYS_statfs,
    SYS_umask,
};

/// Calls that may wait for something, but whose buffers are of no fixed form.
constexpr std::uint16_t long_calls[] = {
    SYS_readv,    SYS_writev,          SYS_preadv,          SYS_pwritev,
    SYS_preadv2,  SYS_pwritev2,        SYS_recvmsg,         SYS_sendmsg,
    SYS_recvmmsg, SYS_sendmmsg,        SYS_sendfile,        SYS_splice,
    SYS_tee,      SYS_io_submit,       SYS_copy_file_range, SYS_fallocate,
    SYS_msync,    SYS_sync_file_range,
};

constexpr std::uint32_t time_bytes = 16;
constexpr std::uint32_t mask_bytes = 128;
constexpr std::uint32_t set_bytes = 8192;  ///< An fd_set of as many files as a process may have.

constexpr WaitingCall waiting_calls[] = {
    {SYS_read, 1, {{1, 2, 1}}},
    {SYS_write, 1, {{1, 2, 1}}},
    {SYS_pread64, 1, {{1, 2, 1}}},
    {SYS_pwrite64, 1, {{1, 2, 1}}},
    {SYS_recvfrom, 3, {{1, 2, 1}, {4, no_length, mask_bytes}, {5, no_length, 4}}},
    {SYS_sendto, 2, {{1, 2, 1}, {4, no_length, mask_bytes}}},
    {SYS_accept, 2, {{1, no_length, mask_bytes}, {2, no_length, 4}}},
    {SYS_accept4, 2, {{1, no_length, mask_bytes}, {2, no_length, 4}}},
    {SYS_connect, 1, {{1, no_length, mask_bytes}}},
    {SYS_poll, 1, {{0, 1, 8}}},
    {SYS_ppoll, 3, {{0, 1, 8}, {2, no_length, time_bytes}, {3, no_length, mask_bytes}}},
    {SYS_epoll_wait, 1, {{1, 2, 12}}},
    {SYS_epoll_pwait, 2, {{1, 2, 12}, {4, no_length, mask_bytes}}},
    {SYS_epoll_pwait2, 3, {{1, 2, 12}, {3, no_length, time_bytes}, {4, no_length, mask_bytes}}},
    {SYS_select,
     4,
     {{1, no_length, set_bytes},
      {2, no_length, set_bytes},
      {3, no_length, set_bytes},
      {4, no_length, time_bytes}}},
    {SYS_nanosleep, 2, {{0, no_length, time_bytes}, {1, no_length, time_bytes}}},
    {SYS_clock_nanosleep, 2, {{2, no_length, time_bytes}, {3, no_length, time_bytes}}},
    {SYS_wait4, 2, {{1, no_length, 4}, {3, no_length, 256}}},
    {SYS_waitid, 2, {{2, no_length, 128}, {4, no_length, 256}}},
    {SYS_pause, 0, {}},
    {SYS_flock, 0, {}},
    {SYS_fsync, 0, {}},
    {SYS_fdatasync, 0, {}},
    {SYS_rt_sigtimedwait,
     3,
     {{0, no_length, mask_bytes}, {1, no_length, 128}, {2, no_length, time_bytes}}},
};

/// A futex waits at its first argument; operations that wait at two, or move waiters, are not here.
constexpr WaitingCall waiting_futex = {
    SYS_futex, 2, {{0, no_length, 8}, {3, no_length, time_bytes}}};

template <std::size_t count>
bool is_among(const std::uint16_t (&calls)[count], std::uint64_t number) {
  for (const std::uint16_t call : calls) {
    if (call == number) return true;
  }
  return false;
}

constexpr std::uint64_t our_signals = std::uint64_t{1} << (SIGSEGV - 1) | std::uint64_t{1}
                                                                              << (SIGSYS - 1);

}  // namespace

const WaitingCall* find_waiting_call(std::uint64_t number) {
  if (number == SYS_futex) return &waiting_futex;
  for (const WaitingCall& call : waiting_calls) {
    if (call.number == number) return &call;
  }
  return nullptr;
}

bool blocks_our_signals(std::uint64_t number, const std::uint64_t* arguments) {
  if (number != SYS_rt_sigprocmask || arguments[1] == 0) return false;
  std::uint64_t mask = 0;
  std::memcpy(&mask, reinterpret_cast<const void*>(arguments[1]), sizeof mask);  // NOLINT
  return arguments[0] != SIG_UNBLOCK && (mask & our_signals) != 0;
}

bool may_pass(std::uint64_t number, const std::uint64_t* arguments, bool may_wait) {
  if (number == SYS_mmap) return (arguments[3] & MAP_FIXED) == 0;
  if (number == SYS_rt_sigprocmask) return !blocks_our_signals(number, arguments);
  if (is_among(short_calls, number)) return true;
  if (!may_wait) return false;
  if (number == SYS_fcntl) return true;
  // Those that set a mask of signals while they wait are left to run outside windows.
  if (number == SYS_ppoll) return arguments[3] == 0;
  if (number == SYS_epoll_pwait || number == SYS_epoll_pwait2) return arguments[4] == 0;
  return is_among(long_calls, number) || find_waiting_call(number) != nullptr;
}

}  // namespace homenode::agent::pkeys
