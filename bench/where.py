"""`homenode where PID` against `numastat -p PID`, in turn, on a process with 1 GiB."""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

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


def seconds(words: list[str]) -> float:
    """From before the start to after the end of a command whose output goes nowhere."""
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    started = time.perf_counter()
    child = os.posix_spawn(words[0], words, os.environ, file_actions=nowhere)
    _, status = os.waitpid(child, 0)
    elapsed = time.perf_counter() - started
    assert status == 0, words
    return elapsed


def where(runs: int = 101) -> None:
    """The ratio of the medians, and of each side's best, which noise moves least."""
    homenode, numastat = (shutil.which(name) or "" for name in ("homenode", "numastat"))
    if not homenode or not numastat:
        print("where: left out, homenode or numastat is not on PATH")
        return
    with holder() as pid:
        for name, options in (("--fast", ["--fast"]), ("no option", [])):
            ours = [homenode, "where", *options, pid]
            theirs = [numastat, "-p", pid]
            pairs = [(seconds(ours), seconds(theirs)) for _ in range(runs)]
            mine, others = zip(*pairs, strict=True)
            print(
                f"a process with 1 GiB, where ({name}) / numastat -p: "
                f"{statistics.median(mine) / statistics.median(others):.2f} "
                f"(best to best {min(mine) / min(others):.2f}, medians "
                f"{1e3 * statistics.median(mine):.2f} and {1e3 * statistics.median(others):.2f} "
                f"ms, {runs} runs)",
                flush=True,
            )
