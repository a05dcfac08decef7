"""Two commands in turn, as whole processes, and the ratio of their times."""

import os
import statistics
import time


def seconds(words: list[str], *, silent: bool = False) -> float:
    """From before the start to after the end of a command; `silent`: its output goes nowhere."""
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)] if silent else []
    started = time.perf_counter()
    child = os.posix_spawn(words[0], words, os.environ, file_actions=nowhere)
    _, status = os.waitpid(child, 0)
    elapsed = time.perf_counter() - started
    assert status == 0, words
    return elapsed


def compare(
    what: str, ours: list[str], theirs: list[str], runs: int, *, silent: bool = False
) -> None:
    """Prints the ratio of the medians, and of each side's best, which noise moves least."""
    pairs = [(seconds(ours, silent=silent), seconds(theirs, silent=silent)) for _ in range(runs)]
    mine, others = zip(*pairs, strict=True)
    print(
        f"{what}: {statistics.median(mine) / statistics.median(others):.2f} "
        f"(best to best {min(mine) / min(others):.2f}, medians "
        f"{1e3 * statistics.median(mine):.2f} and {1e3 * statistics.median(others):.2f} ms, "
        f"{runs} runs)",
        flush=True,
    )
