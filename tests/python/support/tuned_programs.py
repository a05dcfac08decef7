"""Programs of which the best placement is known, on the catalogue's square of four nodes."""

import numpy as np

from homenode.model import Floats, Program, UsedObject

PAGES = 64
LINES = 4096.0


def in_parts(threads: int = 8) -> Floats:
    """Each thread reads a part of its own."""
    reads = np.zeros((threads, PAGES))
    for thread, part in enumerate(np.array_split(np.arange(PAGES), threads)):
        reads[thread, part] = LINES
    return reads


def program(
    reads: Floats, *, homes: int = 0, lines_in_flight: float = 24.0, first_users: int | None = 0
) -> Program:
    """One array, all of it on a node, whose first user is the main thread or, for None, each
    part's own."""
    threads = len(reads)
    users = reads.argmax(axis=0) if first_users is None else np.full(PAGES, first_users)
    array = UsedObject(
        "array",
        PAGES,
        1,
        reads,
        0 * reads,
        lines_in_flight,
        [int(u) for u in users],
        [homes] * PAGES,
        in_order=1.0 if lines_in_flight > 12 else 0.0,
    )
    nodes = [thread * 4 // threads for thread in range(threads)]
    return Program(nodes, [array], [1e-6] * threads)
