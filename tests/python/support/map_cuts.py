"""What `bench map`'s patterns are called by who uses which memory."""

import itertools
import math

from homenode.profile import Sharing

# Which axes a pattern cuts, the slowest first.
CUTS = {
    "2d-rows": (1, 0),
    "2d-columns": (0, 1),
    "2d-mesh": (1, 1),
    "3d-slabs-z": (1, 0, 0),
    "3d-slabs-y": (0, 1, 0),
    "3d-slabs-x": (0, 0, 1),
    "3d-pencils-x": (1, 1, 0),
    "3d-pencils-y": (1, 0, 1),
    "3d-pencils-z": (0, 1, 1),
    "3d-blocks": (1, 1, 1),
}
ON_A_LINE = {
    "divided": Sharing.DIVIDED,
    "interleaved": Sharing.INTERLEAVED,
    "partial": Sharing.PARTIAL,
}
# By how often parts come again in memory, and whether the outermost axis is cut.
NAMES = {
    (0, True): Sharing.DIVIDED,
    (1, False): Sharing.BANDS,
    (1, True): Sharing.MESH,
    (2, False): Sharing.PENCILS,
    (2, True): Sharing.BLOCKS,
}


def grid(cut: tuple[int, ...], shape: tuple[int, ...], threads: int) -> tuple[int, ...]:
    """The cut that is nearest to a square or a cube, slower axes more."""
    all_ = itertools.product(range(1, threads + 1), repeat=len(shape))
    fitting = [
        parts
        for parts in all_
        if math.prod(parts) == threads
        and all(part <= extent for part, extent in zip(parts, shape, strict=True))
        and all(is_cut or part == 1 for part, is_cut in zip(parts, cut, strict=True))
    ]
    return min(fitting, key=lambda parts: (sum(parts), [-part for part in parts]))


def name_of(parts: tuple[int, ...]) -> Sharing:
    """What memory shows of a cut: an axis that is cut comes again where another lies outside it."""
    axes = [part > 1 for part in parts[::-1]]
    axes = axes[axes.index(True) :]
    return NAMES[sum(axes[:-1]), axes[-1]]


def expected(pattern: str, method: str, shape: tuple[int, ...], threads: int) -> Sharing:
    """The name of a pattern of `bench map` after a method has placed its array.

    What is rewritten has each thread's part together. Each phase of multi-patterns uses all of the
    array, the last of them by all threads, which are most of its accesses.
    """
    if "shared" in pattern or pattern == "multi-patterns":
        return Sharing.SHARED
    if pattern == "partial":
        return Sharing.PARTIAL
    if method == "rewrite":
        return Sharing.DIVIDED
    if pattern in CUTS:
        return name_of(grid(CUTS[pattern], shape, threads))
    return ON_A_LINE[pattern]
