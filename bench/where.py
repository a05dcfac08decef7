"""`homenode where PID` against `numastat -p PID`, in turn, on a process with 1 GiB."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from side_by_side import compare

# One byte a page, so that every page is present; small pages, which numa_maps counts one by one.
HOLDER = """
import mmap, sys, time
memory = mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)
for page in range(0, 1 << 30, 4096):
    memory[page] = 1
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def holder() -> Iterator[str]:
    """The number of a process that has 1 GiB in pages of 4 KiB."""
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield str(process.pid)


def where(runs: int = 101) -> None:
    """The time of looking at it, by us and by numastat."""
    homenode, numastat = (shutil.which(name) or "" for name in ("homenode", "numastat"))
    if not homenode or not numastat:
        print("where: left out, homenode or numastat is not on PATH")
        return
    with holder() as pid:
        for name, options in (("--fast", ["--fast"]), ("no option", [])):
            ours = [homenode, "where", *options, pid]
            theirs = [numastat, "-p", pid]
            what = f"a process with 1 GiB, where ({name}) / numastat -p"
            compare(what, ours, theirs, runs, silent=True)
