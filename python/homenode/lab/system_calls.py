"""The names of the system calls in which threads sleep (x86-64 Linux), and of futex operations."""

FUTEX = 202
NAMES = {
    0: "read",
    1: "write",
    7: "poll",
    9: "mmap",
    10: "mprotect",
    11: "munmap",
    12: "brk",
    17: "pread64",
    18: "pwrite64",
    19: "readv",
    20: "writev",
    23: "select",
    24: "sched_yield",
    25: "mremap",
    28: "madvise",
    34: "pause",
    35: "nanosleep",
    42: "connect",
    43: "accept",
    44: "sendto",
    45: "recvfrom",
    46: "sendmsg",
    47: "recvmsg",
    56: "clone",
    57: "fork",
    58: "vfork",
    59: "execve",
    61: "wait4",
    65: "semop",
    74: "fsync",
    128: "rt_sigtimedwait",
    130: "rt_sigsuspend",
    202: "futex",
    208: "io_getevents",
    230: "clock_nanosleep",
    232: "epoll_wait",
    237: "mbind",
    247: "waitid",
    256: "migrate_pages",
    257: "openat",
    270: "pselect6",
    271: "ppoll",
    279: "move_pages",
    281: "epoll_pwait",
    288: "accept4",
    435: "clone3",
    449: "futex_waitv",
}
# Without the flags: private, and the clock of a time-out.
FUTEX_OPERATION = 0x7F
FUTEX_OPERATIONS = {
    0: "wait",
    1: "wake",
    3: "requeue",
    4: "cmp_requeue",
    5: "wake_op",
    6: "lock_pi",
    7: "unlock_pi",
    9: "wait_bitset",
    10: "wake_bitset",
    11: "wait_requeue_pi",
    12: "cmp_requeue_pi",
    13: "lock_pi2",
}


def name_of(number: int) -> str:
    """As the manual calls it; its number where this table lacks it."""
    return NAMES.get(number, f"system call {number}")


def futex_operation(operation: int) -> str:
    """What a futex was asked for: "wait", "lock_pi"."""
    plain = operation & FUTEX_OPERATION
    return FUTEX_OPERATIONS.get(plain, f"operation {plain}")
