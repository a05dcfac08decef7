"""Two commands in turn, as whole processes, and the ratio of their times."""

import os
import statistics
import time
from typing import NamedTuple


class Took(NamedTuple):
    """Seconds of a command: from before its start to after its end, and of its CPU time."""

    wall: float
    cpu: float


def seconds(words: list[str], *, silent: bool = False, exit_code: int = 0) -> Took:
    """Runs a command; `silent`: what it prints goes nowhere."""
    streams = (1, 2) if silent else ()
    nowhere = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in streams]
    started = time.perf_counter()
    child = os.posix_spawn(words[0], words, os.environ, file_actions=nowhere)
    _, status, used = os.wait4(child, 0)
    elapsed = time.perf_counter() - started
    assert os.waitstatus_to_exitcode(status) == exit_code, words
    return Took(elapsed, used.ru_utime + used.ru_stime)


def compare(
    what: str,
    ours: list[str],
    theirs: list[str],
    runs: int,
    *,
    silent: bool = False,
    their_exit_code: int = 0,
) -> None:
    """Prints the ratio of the medians, of each side's best, which noise moves least, and of the
    CPU time, which other programs' work is no part of.
    """
    pairs = [
        (seconds(ours, silent=silent), seconds(theirs, silent=silent, exit_code=their_exit_code))
        for _ in range(runs)
    ]
    mine, others = zip(*pairs, strict=True)
    walls = [[took.wall for took in side] for side in (mine, others)]
    median, other_median = (statistics.median(side) for side in walls)
    best, other_best = (min(side) for side in walls)
    cpu, other_cpu = (statistics.median(took.cpu for took in side) for side in (mine, others))
    print(
        f"{what}: {median / other_median:.2f} (best to best {best / other_best:.2f}, CPU time "
        f"{cpu / other_cpu:.2f}; medians {1e3 * median:.2f} and {1e3 * other_median:.2f} ms, "
        f"CPU time {1e3 * cpu:.2f} and {1e3 * other_cpu:.2f} ms, {runs} runs)",
        flush=True,
    )
