"""Which range holds an address at a time, for many of both at once. Pure.

Ranges come and go, and lie where others lay before. So a tree over the addresses that are asked
for, in order, is laid beneath them: each range is cut into the few nodes of the tree that make it
up, each address asks the nodes above it, and among those that stood on one node, which follow each
other, the last one to begin before the time is found by bisection.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Addresses = NDArray[np.uint64]

NOTHING = -1
FOREVER = np.iinfo(np.uint64).max
# A key has the node above, and the rank of the time below.
TIME_BITS = 32


@dataclass(frozen=True)
class Ranges:
    """Address ranges [begin, end) from `began_ns` on and before `ended_ns`. `owners` says of each
    what it is a part of, in any numbers."""

    begin: Addresses
    end: Addresses
    began_ns: NDArray[np.uint64]
    ended_ns: NDArray[np.uint64]
    owners: Integers

    def __len__(self) -> int:
        return len(self.begin)

    def of(self, chosen: NDArray[np.bool_] | Integers) -> "Ranges":
        """Some of them."""
        return Ranges(
            self.begin[chosen],
            self.end[chosen],
            self.began_ns[chosen],
            self.ended_ns[chosen],
            self.owners[chosen],
        )


def ranges(rows: list[tuple[int, int, int, int, int]]) -> Ranges:
    """Of rows of begin, end, begin and end in time, and owner."""
    table = np.array(rows, np.uint64).reshape(-1, 5)
    return Ranges(table[:, 0], table[:, 1], table[:, 2], table[:, 3], table[:, 4].astype(np.int64))


def join(parts: list[Ranges]) -> Ranges:
    """All of several; none for none."""
    if not parts:
        return ranges([])
    return Ranges(
        np.concatenate([part.begin for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([part.began_ns for part in parts]),
        np.concatenate([part.ended_ns for part in parts]),
        np.concatenate([part.owners for part in parts]),
    )


def find(where: Ranges, addresses: Addresses, times: NDArray[np.uint64]) -> Integers:
    """For each address and time the index of a range that holds it, or NOTHING; the one that began
    last where there are several."""
    found = np.full(len(addresses), NOTHING, np.int64)
    if len(where) == 0 or len(addresses) == 0:
        return found
    places, rank = np.unique(addresses, return_inverse=True)
    low = np.searchsorted(places, where.begin).astype(np.int64)
    high = np.searchsorted(places, where.end).astype(np.int64)
    index = np.flatnonzero((low < high) & (where.began_ns < where.ended_ns)).astype(np.int64)
    low, high = low[index], high[index]
    began = np.sort(where.began_ns[index])
    # By address: what is asked next to each other lies next to each other.
    order = np.argsort(rank, kind="stable")
    times, node = times[order], rank[order].astype(np.int64)
    newest = np.searchsorted(began, times, side="right").astype(np.uint64)
    while len(index):
        at_node, of_range = _cut(low, high, index)
        if len(of_range):
            candidate = _last_before(where, began, at_node, of_range, node, newest)
            _take_newer(where, found, candidate, times)
        low, high = (low + 1) >> 1, high >> 1
        kept = low < high
        low, high, index = low[kept], high[kept], index[kept]
        node >>= 1
    result = np.empty_like(found)
    result[order] = found
    return result


def _cut(low: Integers, high: Integers, index: Integers) -> tuple[Integers, Integers]:
    """What of the ranges [low, high) does not fit the nodes of the next level: at most one node at
    each end."""
    first = (low & 1) == 1
    last = (high & 1) == 1
    nodes = np.concatenate([low[first], high[last] - 1])
    return nodes, np.concatenate([index[first], index[last]])


def _last_before(
    where: Ranges,
    began: NDArray[np.uint64],
    at_node: Integers,
    of_range: Integers,
    node: Integers,
    newest: NDArray[np.uint64],
) -> Integers:
    """Of the ranges that are a whole node, for each asked node the last that began by its time."""
    since = np.searchsorted(began, where.began_ns[of_range]).astype(np.uint64)
    keys = (at_node.astype(np.uint64) << np.uint64(TIME_BITS)) | since
    order = np.lexsort((of_range, keys))
    keys, of_range, at_node = keys[order], of_range[order], at_node[order]
    asked = (node.astype(np.uint64) << np.uint64(TIME_BITS)) | newest
    at = np.searchsorted(keys, asked) - 1
    known = (at >= 0) & (at_node[at] == node)
    return np.where(known, of_range[at], NOTHING)


def _take_newer(
    where: Ranges, found: Integers, candidate: Integers, times: NDArray[np.uint64]
) -> None:
    """Keeps a candidate that still stands and began after what has been found."""
    valid = candidate != NOTHING
    valid[valid] = times[valid] < where.ended_ns[candidate[valid]]
    both = valid & (found != NOTHING)
    valid[both] = where.began_ns[candidate[both]] >= where.began_ns[found[both]]
    found[valid] = candidate[valid]
