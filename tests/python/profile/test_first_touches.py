"""Patterns told from first touches: places that crowd at the beginnings of pages and parts."""

from collections.abc import Iterator

import numpy as np
import pytest
from map_cuts import CUTS, grid, name_of
from numpy.typing import NDArray
from test_patterns import owners

from homenode.profile import Sharing, Uses, classify

LINE, PAGE_LINES, LINES = 64, 64, 65536
ARMED = 64
SHAPES = {2: (256, 256), 3: (40, 40, 40)}
Walk = NDArray[np.int64]
Case = tuple[str, list[Walk], Sharing]


def cases(threads: int) -> Iterator[Case]:
    """The lines that each thread walks, in order, and what that is called."""
    lines = np.arange(LINES)
    yield "interleaved", [lines[rank::threads] for rank in range(threads)], Sharing.INTERLEAVED
    yield "shared", [lines] * threads, Sharing.SHARED
    part, more = LINES // threads, LINES // threads // 4
    overlapping = [
        lines[max(0, rank * part - more) : (rank + 1) * part + more] for rank in range(threads)
    ]
    yield "partial", overlapping, Sharing.PARTIAL
    for name, cut in CUTS.items():
        parts = grid(cut, SHAPES[len(cut)], threads)
        rank = owners(parts, SHAPES[len(cut)])
        yield name, [np.flatnonzero(rank == one) for one in range(threads)], name_of(parts)


def first_touches(walks: list[Walk], samples: int, seed: int = 1) -> Uses:
    """In each window some pages are armed, and each thread is somewhere on its way; a third of them
    have no CPU."""
    random = np.random.default_rng(seed)
    lines = 1 + max(int(walk.max()) for walk in walks)
    found: list[tuple[int, int]] = []
    while len(found) < samples:
        armed = np.zeros(-(-lines // PAGE_LINES), bool)
        armed[random.choice(len(armed), ARMED, replace=False)] = True
        for thread, walk in enumerate(walks):
            start = random.integers(len(walk))
            ahead = np.roll(walk, -start)
            hits = armed[ahead // PAGE_LINES]
            if hits.any() and random.random() > 1 / 3:
                found.append((int(ahead[hits.argmax()]), thread))
    places, threads = np.array(found[:samples]).T
    ones = np.ones(samples, np.int64)
    return Uses(lines * LINE, places * LINE, threads, ones, exact=False, first_touches=True)


@pytest.mark.parametrize("threads", [3, pytest.param(8, marks=pytest.mark.long)])
def test_patterns_of_map_are_named_right(threads: int) -> None:
    for name, walks, wanted in cases(threads):
        found = classify(first_touches(walks, 1000))
        assert found.sharing == wanted, name


@pytest.mark.parametrize("samples", [120, pytest.param(400, marks=pytest.mark.long)])
def test_what_is_sure_is_right_from_few(samples: int) -> None:
    for threads in (3, 16):
        for name, walks, wanted in cases(threads):
            found = classify(first_touches(walks, samples))
            assert found.sharing == wanted or not found.sure, (name, threads)


def test_lines_in_turn_are_told_though_windows_show_the_first_of_a_page() -> None:
    for threads in (3, 16):
        _, walks, _ = next(cases(threads))
        found = classify(first_touches(walks, 400))
        assert found.sharing == Sharing.INTERLEAVED
        assert [(level.part, level.period) for level in found.levels] == [(LINE, threads * LINE)]


def test_a_filling_that_came_first_hides_no_bands() -> None:
    _, walks, wanted = next(case for case in cases(3) if case[0] == "2d-columns")
    used = first_touches(walks, 400)
    pages = np.arange(0, LINES, PAGE_LINES)[::64] * LINE
    ones = np.ones(len(pages), np.int64)
    filled = Uses(
        used.size,
        np.concatenate([pages, used.places]),
        np.concatenate([0 * ones, used.threads]),
        np.concatenate([ones, used.counts]),
        exact=False,
        first_touches=True,
    )
    assert classify(filled).sharing == wanted


def test_no_period_is_sure() -> None:
    for _, walks, _ in cases(3):
        found = classify(first_touches(walks, 1000))
        assert not (found.levels and found.sure)
