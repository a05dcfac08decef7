"""Tells arrays apart that lie side by side in one mapping. Pure.

The kernel joins neighbouring mappings, and where nobody recorded allocations a mapping is all that
is known. Several arrays that threads divide alike show: each thread uses as many stretches as there
are arrays, and all threads are done with one before any begins the next.
"""

import numpy as np

from homenode.model import Floats

MOST_ARRAYS = 6
FEWEST_THREADS = 2
# Pages; what is shorter is no array worth a placement.
SHORTEST = 2


def _stretches(used: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> list[tuple[int, int]]:
    """Runs of used pages, [begin, end)."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], used.astype(np.int8), [0]))))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


def beginnings(uses: Floats) -> list[int]:
    """The first page of each array in uses by [thread, page]; [0] where there is one, or where it
    cannot be told."""
    rows = [_stretches(row > 0) for row in uses if row.any()]
    rows = [[one for one in row if one[1] - one[0] >= SHORTEST] for row in rows]
    counts = {len(row) for row in rows}
    if len(rows) < FEWEST_THREADS or len(counts) != 1:
        return [0]
    count = counts.pop()
    if not 1 < count <= MOST_ARRAYS:
        return [0]
    found = [0]
    for at in range(1, count):
        ended = max(row[at - 1][1] for row in rows)
        begins = min(row[at][0] for row in rows)
        # A page that two arrays share may belong to either.
        if begins < ended - 1:
            return [0]
        found.append(begins)
    return found
