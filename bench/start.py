"""Starting a program through `homenode run` and through numactl, in turn, on this host."""

import os
import shutil
import statistics
import time

CASES = (
    ("no option", []),
    ("--interleave=all", ["--interleave=all"]),
    ("--cpunodebind=0 --membind=0", ["--cpunodebind=0", "--membind=0"]),
)


def seconds(words: list[str]) -> float:
    """From before the start to after the end of a command."""
    started = time.perf_counter()
    child = os.posix_spawn(words[0], words, os.environ)
    _, status = os.waitpid(child, 0)
    elapsed = time.perf_counter() - started
    assert status == 0, words
    return elapsed


def start(runs: int = 301) -> None:
    """The ratio of the medians, and of each side's best, which noise moves least."""
    programs = [shutil.which(name) for name in ("homenode", "numactl", "true")]
    homenode, numactl, true = (path or "" for path in programs)
    if not all(programs):
        print("start: left out, homenode or numactl is not on PATH")
        return
    for name, options in CASES:
        ours = [homenode, "run", *options, "--", true]
        theirs = [numactl, *options, "--", true]
        pairs = [(seconds(ours), seconds(theirs)) for _ in range(runs)]
        mine, others = zip(*pairs, strict=True)
        print(
            f"start of a program, {name}, homenode run / numactl: "
            f"{statistics.median(mine) / statistics.median(others):.2f} "
            f"(best to best {min(mine) / min(others):.2f}, medians "
            f"{1e3 * statistics.median(mine):.2f} and {1e3 * statistics.median(others):.2f} ms, "
            f"{runs} runs)",
            flush=True,
        )
