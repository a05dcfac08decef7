"""Which thread brought each block of memory in, from where it lies and who uses it. Pure.

Where a program's region of interest begins after it has filled its memory, nobody saw who did.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from homenode.model import Floats

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

MAIN = 0
# Of what the threads of a node use of a block, the share that makes it one thread's own.
OWN = 0.6


def first_users(
    fetched: Floats, seen_first: Floats, homes: Sequence[int], nodes: Sequence[int]
) -> list[int]:
    """The thread that touched each block first.

    `fetched` are lines by [thread, block], `seen_first` those that a thread used before any other
    one came; `homes` the nodes of the blocks and `nodes` those of the threads.
    """
    here, at = np.array(nodes), np.array(homes)
    guessed = _guessed(fetched, at, here)
    user = seen_first.argmax(axis=0)
    known = (seen_first > 0).any(axis=0)
    # A region of interest may begin after others had filled memory, of which some then lies
    # elsewhere: who came first in the region tells nothing of it.
    if (here[user] != at)[known].any():
        return [int(one) for one in guessed]
    if _all_with_main(at, here):
        # The node's other threads come early to what the main one filled for all.
        off_node = (fetched[here != here[MAIN]] > 0).any(axis=0)
        known &= ~off_node
    return [int(one) for one in np.where(known, user, guessed)]


def _all_with_main(homes: Integers, nodes: Integers) -> bool:
    return bool((homes == nodes[MAIN]).all())


def _guessed(fetched: Floats, homes: Integers, nodes: Integers) -> Integers:
    """As far as its node tells: of the threads there, the one that uses a block most, or if they
    use it alike, as if they had parted the node's blocks among them. The main thread where all lies
    with it, and where no thread is near: somebody moved it, or the initialising thread has moved
    since."""
    users = np.full(len(homes), MAIN, np.int64)
    if _all_with_main(homes, nodes):
        return users
    for home in np.unique(homes):
        near = np.flatnonzero(nodes == home)
        blocks = np.flatnonzero(homes == home)
        if len(near) == 0:
            continue
        lines = fetched[np.ix_(near, blocks)]
        users[blocks] = near[lines.argmax(axis=0)]
        alike = lines.max(axis=0) < OWN * lines.sum(axis=0)
        for stretch in _stretches(blocks):
            shared = blocks[stretch][alike[stretch]]
            users[shared] = near[np.arange(len(shared)) * len(near) // max(len(shared), 1)]
    return users


def _stretches(blocks: Integers) -> list[slice]:
    """Of neighbouring blocks."""
    cuts = np.flatnonzero(np.diff(blocks) > 1) + 1
    edges = [0, *cuts.tolist(), len(blocks)]
    return [slice(begin, end) for begin, end in pairwise(edges)]
