"""Which range holds an address at a time, against looking at each of them."""

import numpy as np
import pytest

from homenode.profile.ranges import FOREVER, NOTHING, Ranges, find, join, ranges


def slowly(where: Ranges, address: int, time: int) -> set[int]:
    """The ranges that hold it, of those the ones that began last."""
    inside = [
        at
        for at in range(len(where))
        if where.begin[at] <= address < where.end[at]
        and where.began_ns[at] <= time < where.ended_ns[at]
    ]
    last = max((where.began_ns[at] for at in inside), default=0)
    return {at for at in inside if where.began_ns[at] == last} or {NOTHING}


def drawn(random: np.random.Generator, count: int) -> Ranges:
    """Ranges as a program has them: at any time disjoint, over time anything."""
    rows, live = [], []
    for time in range(count):
        begin = int(random.integers(0, 1000)) * 16
        end = begin + int(random.integers(1, 200)) * 16
        for row in [row for row in live if row[0] < end and begin < row[1]]:
            live.remove(row)
            rows.append((*row[:3], time, row[3]))
        live.append((begin, end, time, time))
        if live and random.random() < 0.3:
            gone = live.pop(int(random.integers(0, len(live))))
            rows.append((*gone[:3], time + 1, gone[3]))
    return ranges(rows + [(*row[:3], FOREVER, row[3]) for row in live])


@pytest.mark.parametrize("seed", range(8))
def test_as_by_looking_at_each(seed: int) -> None:
    random = np.random.default_rng(seed)
    where = drawn(random, 300)
    addresses = random.integers(0, 20000, 2000).astype(np.uint64)
    times = random.integers(0, 320, 2000).astype(np.uint64)
    found = find(where, addresses, times)
    for address, time, at in zip(addresses, times, found, strict=True):
        assert int(at) in slowly(where, int(address), int(time))
    assert 0.2 < (found != NOTHING).mean() < 1


def test_one_within_another_is_the_one_that_began_later() -> None:
    where = ranges([(0, 100, 0, FOREVER, 0), (20, 40, 5, FOREVER, 1)])
    found = find(where, np.array([10, 30, 30], np.uint64), np.array([9, 9, 4], np.uint64))
    assert found.tolist() == [0, 1, 0]


def test_the_ends_are_the_next_ones() -> None:
    where = ranges([(16, 32, 10, 20, 7)])
    addresses = np.array([15, 16, 31, 32, 20, 20, 20, 20], np.uint64)
    times = np.array([15, 15, 15, 15, 9, 10, 19, 20], np.uint64)
    expected = [NOTHING, 0, 0, NOTHING, NOTHING, 0, 0, NOTHING]
    assert find(where, addresses, times).tolist() == expected


def test_addresses_at_the_end_of_memory() -> None:
    top = (1 << 64) - 16
    where = ranges([(top - 16, top, 0, FOREVER, 3)])
    found = find(where, np.array([top - 1, top], np.uint64), np.array([5, 5], np.uint64))
    assert found.tolist() == [0, NOTHING]


def test_nothing_in_nothing() -> None:
    none = np.empty(0, np.uint64)
    assert find(join([]), none, none).tolist() == []
    some = np.array([1], np.uint64)
    assert find(join([]), some, some).tolist() == [NOTHING]
    assert find(ranges([(5, 5, 0, 9, 0)]), some, some).tolist() == [NOTHING]
