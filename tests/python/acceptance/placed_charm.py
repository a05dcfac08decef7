"""A Charm++ program as people write them, to be placed from outside: each PE says where it is.

Prints lines: PE cpus=LIST policy=POLICY memory=NODE:PAGES+…
"""

import ctypes
import mmap
import os
import re
from pathlib import Path

from charm4py import Chare, Group, charm

PAGES = 64


def new_memory() -> tuple[str, str]:
    """The policy of memory that this process touches first, and its nodes, as the kernel says."""
    memory = mmap.mmap(-1, PAGES * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE)
    memory[:] = b"x" * len(memory)
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    numa_maps = Path("/proc/self/numa_maps").read_text()
    # The kernel may have joined the mapping with the one before it.
    lines = [line for line in numa_maps.splitlines() if int(line.split()[0], 16) <= first]
    nodes = re.findall(r" N(\d+)=(\d+)", lines[-1])
    return lines[-1].split()[1], "+".join(f"{node}:{pages}" for node, pages in nodes)


class Place(Chare):
    def report(self):
        cpus = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0)))
        policy, memory = new_memory()
        line = f"{charm.myPe()} cpus={cpus} policy={policy} memory={memory}\n"
        os.write(1, line.encode())
        self.reduce(self.thisProxy[0].done)

    def done(self):
        charm.exit()


def main(_arguments):
    Group(Place).report()


charm.start(main)
