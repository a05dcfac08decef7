"""A Python program with threads, to be placed from outside: each says where it is.

Prints lines as tests/agent/thread_probe.cpp does: RANK cpus=LIST policy=MODE policy_nodes=LIST
memory=NODE:PAGES+…  usage: thread_program.py COUNT
"""

import ctypes
import mmap
import sys
import threading
from pathlib import Path

PAGES = 256
GET_MEMPOLICY, MOVE_PAGES = 239, 279  # x86-64
libc = ctypes.CDLL(None, use_errno=True)
lines: dict[int, str] = {}


def policy() -> tuple[int, list[int]]:
    mode = ctypes.c_int(-1)
    nodes = (ctypes.c_ulong * 16)()
    libc.syscall(GET_MEMPOLICY, ctypes.byref(mode), nodes, ctypes.c_ulong(1025), None, None)
    return mode.value, [i for i in range(1024) if nodes[i // 64] >> i % 64 & 1]


def nodes_of_new_memory() -> dict[int, int]:
    memory = mmap.mmap(-1, PAGES * mmap.PAGESIZE)
    for page in range(PAGES):
        memory[page * mmap.PAGESIZE] = 1
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    pages = (ctypes.c_void_p * PAGES)(*(first + i * mmap.PAGESIZE for i in range(PAGES)))
    status = (ctypes.c_int * PAGES)()
    libc.syscall(MOVE_PAGES, 0, ctypes.c_ulong(PAGES), pages, None, status, 0)
    return {node: list(status).count(node) for node in sorted(set(status))}


def cpus_of_thread() -> str:
    """As the kernel has them; the agent tells a thread that asks itself more."""
    for line in Path("/proc/thread-self/status").read_text().splitlines():
        if line.startswith("Cpus_allowed:"):
            mask = int(line.partition(":")[2].replace(",", ""), 16)
            return ",".join(str(cpu) for cpu in range(mask.bit_length()) if mask >> cpu & 1)
    raise RuntimeError("no Cpus_allowed")


def report(rank: int) -> None:
    cpus = cpus_of_thread()
    mode, nodes = policy()
    memory = "+".join(f"{node}:{count}" for node, count in nodes_of_new_memory().items())
    lines[rank] = (
        f"{rank} cpus={cpus} policy={mode} policy_nodes={','.join(map(str, nodes))} memory={memory}"
    )


def main() -> None:
    threads = [threading.Thread(target=report, args=(i,)) for i in range(1, int(sys.argv[1]))]
    report(0)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for rank in sorted(lines):
        print(lines[rank])


main()
