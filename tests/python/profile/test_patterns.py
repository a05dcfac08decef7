"""The patterns of `bench map`, told from who used what: from every access, and from samples."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from map_cuts import CUTS, grid, name_of
from numpy.typing import NDArray

from homenode.profile import Sharing, Uses, classify

LINE = 64
THREADS = (3, 8, 16)
Integers = NDArray[np.int64]

SHAPES = {2: [(256, 256), (64, 1024), (1024, 64)], 3: [(40, 40, 40)]}


@dataclass(frozen=True)
class Case:
    """Lines and who uses them, and what that is called."""

    name: str
    lines: Integers
    threads: Integers
    wanted: Sharing


def owners(parts: tuple[int, ...], shape: tuple[int, ...]) -> Integers:
    """The thread of each element of an array that lies row by row."""
    rank = np.zeros(shape, np.int64)
    for axis, (extent, count) in enumerate(zip(shape, parts, strict=True)):
        sizes = [extent // count + (i < extent % count) for i in range(count)]
        along = np.repeat(np.arange(count), sizes)
        rank = rank * count + along.reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return rank.ravel()


def boxes(threads: int) -> Iterator[Case]:
    for name, cut in CUTS.items():
        for shape in SHAPES[len(cut)]:
            parts = grid(cut, shape, threads)
            rank = owners(parts, shape)
            yield Case(f"{name} {shape}", np.arange(len(rank)), rank, name_of(parts))


def stretches(threads: int, overlap: int, lines: int = 65536) -> Case:
    part = lines // threads
    more = part * overlap // 100
    used = [
        np.arange(max(0, rank * part - more), min(lines, (rank + 1) * part + more))
        for rank in range(threads)
    ]
    wanted = Sharing.PARTIAL if overlap else Sharing.DIVIDED
    by = np.repeat(np.arange(threads), [len(each) for each in used])
    return Case(f"overlap {overlap}", np.concatenate(used), by, wanted)


def cases(threads: int, lines: int = 65536) -> Iterator[Case]:
    all_ = np.arange(lines)
    yield Case("interleaved", all_, all_ % threads, Sharing.INTERLEAVED)
    everybody = np.repeat(np.arange(threads), lines)
    yield Case("shared", np.tile(all_, threads), everybody, Sharing.SHARED)
    for overlap in (0, 5, 25, 50):
        yield stretches(threads, overlap)
    yield from boxes(threads)


def uses(case: Case, samples: int | None = None, seed: int = 1) -> Uses:
    """All accesses, or some drawn at random."""
    size = (int(case.lines.max()) + 1) * LINE
    chosen = np.arange(len(case.lines))
    if samples is not None:
        chosen = np.random.default_rng(seed).integers(0, len(case.lines), samples)
    ones = np.ones(len(chosen), np.int64)
    return Uses(size, case.lines[chosen] * LINE, case.threads[chosen], ones, samples is None)


@pytest.mark.parametrize("threads", THREADS)
class TestPatternsOfMap:
    def test_all_are_named_right_from_every_access(self, threads: int) -> None:
        for case in cases(threads):
            found = classify(uses(case))
            assert (found.sharing, found.sure) == (case.wanted, True), case.name

    def test_and_from_many_samples(self, threads: int) -> None:
        for case in cases(threads):
            assert classify(uses(case, 20_000)).sharing == case.wanted, case.name

    @pytest.mark.parametrize("samples", [300, 1000, 3000])
    def test_what_is_sure_is_right_from_few_samples(self, threads: int, samples: int) -> None:
        for case in cases(threads):
            found = classify(uses(case, samples))
            assert found.sharing == case.wanted or not found.sure, case.name

    def test_names_of_threads_do_not_matter(self, threads: int) -> None:
        other = np.random.default_rng(2).permutation(threads) + 4000
        for case in cases(threads):
            renamed = Case(case.name, case.lines, other[case.threads], case.wanted)
            found, as_before = classify(uses(renamed)), classify(uses(case))
            assert found.sharing == as_before.sharing, case.name
            assert found.levels == as_before.levels, case.name

    def test_strides_are_those_of_the_array(self, threads: int) -> None:
        found = classify(uses(next(cases(threads))))
        assert [(level.part, level.period) for level in found.levels] == [(LINE, threads * LINE)]
        rank = owners((1, threads), (256, 256))
        columns = classify(uses(Case("columns", np.arange(len(rank)), rank, Sharing.BANDS)))
        assert [level.period for level in columns.levels] == [256 * LINE]
        assert columns.levels[0].part == pytest.approx(256 * LINE / threads, rel=0.01)

    @pytest.mark.parametrize("overlap", [5, 25, 50])
    def test_the_overlap_is_found(self, threads: int, overlap: int) -> None:
        for samples in (None, 20_000):
            found = classify(uses(stretches(threads, overlap), samples))
            assert found.overlap == pytest.approx(overlap / 100, abs=0.01)


def test_the_patterns_are_all_that_bench_map_has() -> None:
    said = subprocess.run(
        ["homenode", "bench", "map", "--describe", "--json"], capture_output=True, check=True
    )
    names = {pattern["name"] for pattern in json.loads(said.stdout)["patterns"]}
    shared = {name for name in names if "shared" in name}
    assert names - shared == {*CUTS, "divided", "interleaved", "partial", "multi-patterns"}


def different(lines: Integers) -> Integers:
    """Each line once, in order."""
    return np.flatnonzero(np.bincount(lines))


def with_a_sweep(case: Case, by: int, often: int, swept: np.ndarray | None = None) -> Uses:
    """With one thread that goes over all lines that anybody uses, or over others, so often."""
    lines = different(case.lines if swept is None else swept)
    ones = np.ones(len(case.lines), np.int64)
    return Uses(
        (int(lines[-1]) + 1) * LINE,
        np.concatenate([case.lines, lines]) * LINE,
        np.concatenate([case.threads, np.full(len(lines), by)]),
        np.concatenate([ones, np.full(len(lines), often)]),
        exact=True,
    )


@pytest.mark.parametrize(
    ("threads", "by", "often"),
    [(3, 0, 1), (8, 99, 3), pytest.param(16, 15, 1, marks=pytest.mark.long)],
)
def test_the_thread_that_fills_an_array_hides_no_pattern(threads: int, by: int, often: int) -> None:
    for case in cases(threads, 16384):
        found = classify(with_a_sweep(case, by, often))
        assert (found.sharing, found.sure) == (case.wanted, True), case.name
        assert found.swept_by == (None if case.wanted == Sharing.SHARED else by), case.name
        assert found.accesses == len(case.lines) + often * len(different(case.lines))


def test_what_it_did_to_a_few_places_besides_hides_none_either() -> None:
    for case in cases(8, 16384):
        swept = with_a_sweep(case, 0, 1)
        some = np.arange(len(case.lines) // 2, len(case.lines) * 13 // 25)
        again = Uses(
            swept.size,
            np.concatenate([swept.places, case.lines[some] * LINE]),
            np.concatenate([swept.threads, np.zeros(len(some), np.int64)]),
            np.concatenate([swept.counts, np.ones(len(some), np.int64)]),
            exact=True,
        )
        found = classify(again)
        assert (found.sharing, found.sure) == (case.wanted, True), case.name


def test_uses_that_a_cache_hid_do_not_belong_to_the_thread_that_filled() -> None:
    divided = stretches(8, 0)
    hidden = np.flatnonzero(divided.threads == 3)[5::40]
    kept = np.delete(np.arange(len(divided.lines)), hidden)
    seen = Case("hidden", divided.lines[kept], divided.threads[kept], Sharing.DIVIDED)
    found = classify(with_a_sweep(seen, 0, 1, divided.lines))
    assert (found.sharing, found.sure, found.swept_by) == (Sharing.DIVIDED, True, 0)


def test_parts_may_overlap_across_the_ends_of_a_periodic_grid() -> None:
    lines, threads = 16384, 8
    part = lines // threads
    used = [
        np.arange(rank * part - part // 8, (rank + 1) * part + part // 8) % lines
        for rank in range(threads)
    ]
    by = np.repeat(np.arange(threads), [len(each) for each in used])
    found = classify(uses(Case("ring", np.concatenate(used), by, Sharing.PARTIAL)))
    assert (found.sharing, found.sure) == (Sharing.PARTIAL, True)


def test_two_cuts_laid_over_each_other_are_nothing_sure() -> None:
    rank = owners((1, 4), (128, 128))
    other = owners((4, 1), (128, 128))
    lines = np.arange(128 * 128)
    both = Case("both", np.tile(lines, 2), np.concatenate([rank, other]), Sharing.UNKNOWN)
    found = classify(uses(both))
    assert found.sharing == Sharing.IRREGULAR or not found.sure


@pytest.mark.parametrize("threads", THREADS)
def test_counts_by_page_say_nothing_sure_of_what_lines_would_tell(threads: int) -> None:
    for case in cases(threads, 16384):
        lines = uses(case)
        pages = Uses(lines.size, lines.places // 4096 * 4096, lines.threads, lines.counts, True)
        found = classify(pages)
        assert found.unit >= 4096
        assert found.sharing == case.wanted or not found.sure, case.name


@pytest.mark.parametrize("apart", [1, 7, 1 << 20, 1 << 40])
def test_threads_are_numbered_in_their_order(apart: int) -> None:
    ranks = np.random.default_rng(4).integers(0, 9, 500)
    threads = (ranks - 4) * apart
    ones = np.ones(len(ranks), np.int64)
    numbered = Uses(500 * LINE, np.arange(500) * LINE, threads, ones, exact=True)
    assert numbered.different.tolist() == sorted(set(threads.tolist()))
    assert numbered.ranks.tolist() == ranks.tolist()
    nothing = Uses(LINE, ones[:0], ones[:0], ones[:0], exact=True)
    assert (len(nothing.different), len(nothing.ranks)) == (0, 0)


def test_scattered_pages_have_no_pattern() -> None:
    owner = np.random.default_rng(3).integers(0, 8, 1024).repeat(64)
    found = classify(uses(Case("scattered", np.arange(65536), owner, Sharing.IRREGULAR)))
    assert found.sharing == Sharing.IRREGULAR
    assert found.exclusivity == pytest.approx(1)


def test_a_few_accesses_of_others_leave_it_private() -> None:
    lines = np.arange(10_000)
    owner = np.where(lines % 50 == 0, 1 + lines % 3, 0)
    found = classify(uses(Case("private", lines, owner, Sharing.PRIVATE)))
    assert (found.sharing, found.sure) == (Sharing.PRIVATE, True)


def test_one_look_of_another_thread_at_everything_hides_no_pattern() -> None:
    case = stretches(8, 0)
    ones = np.ones(len(case.lines), np.int64)
    every_64th = case.lines[::64]
    looked = Uses(
        65536 * LINE,
        np.concatenate([case.lines, every_64th]) * LINE,
        np.concatenate([case.threads, np.full(len(every_64th), 99)]),
        np.concatenate([ones * 10, np.ones(len(every_64th), np.int64)]),
        exact=True,
    )
    assert classify(looked).sharing == Sharing.DIVIDED


def test_too_few_accesses_are_said() -> None:
    found = classify(uses(stretches(8, 0), 99))
    assert found.sharing == Sharing.UNKNOWN
    assert found.why == "99 accesses are too few: 100 are needed"


def test_too_few_accesses_of_each_of_many_threads_are_said() -> None:
    lines = np.arange(210)
    found = classify(uses(Case("many", lines, lines % 30, Sharing.UNKNOWN)))
    assert found.sharing == Sharing.UNKNOWN
    assert found.why == "no thread has 8 accesses, which are needed"


def test_gaps_that_nobody_uses_are_no_obstacle() -> None:
    """As in a mapping that holds an array and, far from it, stacks."""
    lines = np.arange(4096)
    stacks = 150_000 + 16_384 * np.arange(3)[:, None] + np.arange(8)
    used = np.concatenate([lines, stacks.ravel()])
    threads = np.concatenate([lines // 64 % 4, np.repeat(np.arange(3), 8)])
    found = classify(uses(Case("gaps", used, threads, Sharing.BANDS)))
    assert found.sharing in Sharing
