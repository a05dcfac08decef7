"""Eight threads sum parts of an array that one thread filled, with the array placed by a rule.

    python shares.py [RULE]

RULE is one of the library's memory rules, such as block or cyclic; without one the kernel places
each page where it is first touched.
"""

import sys
from threading import Barrier, Thread

import numpy as np

import homenode

THREADS = 8
ROUNDS = 5


def work(rank: int, part: np.ndarray, sums: list[float], begin: Barrier) -> None:
    """Sums a part, on the CPU of this rank; numpy lets other threads run meanwhile."""
    homenode.threads.bind_rank("0-7", rank)
    begin.wait()
    for _ in range(ROUNDS):
        sums[rank] = float(part.sum())


def main() -> None:
    """Prints the sum, and where the pages are."""
    with homenode.placing(sys.argv[1] if len(sys.argv) > 1 else "local"):
        array = np.ones(1 << 21)
    print("pages on each node:", homenode.where(array).pages_on_node)
    sums, begin = [0.0] * THREADS, Barrier(THREADS + 1)
    parts = np.split(array, THREADS)
    team = [Thread(target=work, args=(i, parts[i], sums, begin)) for i in range(THREADS)]
    for thread in team:
        thread.start()
    with homenode.roi():
        begin.wait()
        for thread in team:
            thread.join()
    print("sum", sum(sums))


if __name__ == "__main__":
    main()
