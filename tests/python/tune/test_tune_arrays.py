"""homenode.tune.arrays: arrays that lie side by side in one mapping."""

import numpy as np

from homenode.tune.arrays import beginnings


def divided(pages: int, threads: int) -> np.ndarray:
    uses = np.zeros((threads, pages))
    for thread, part in enumerate(np.array_split(np.arange(pages), threads)):
        uses[thread, part] = 64.0
    return uses


def test_arrays_that_threads_divide_alike_are_told_apart() -> None:
    one = divided(64, 4)
    assert beginnings(np.hstack([one, one, one])) == [0, 64, 128]


def test_one_array_is_one() -> None:
    assert beginnings(divided(64, 4)) == [0]
    assert beginnings(np.full((4, 64), 64.0)) == [0]


def test_rows_of_which_threads_use_parts_are_one_array() -> None:
    columns = np.hstack([divided(16, 4)] * 8)  # More than arrays ever are.
    assert beginnings(columns) == [0]
    mixed = np.hstack([divided(64, 4), np.full((4, 64), 64.0)])
    mixed[0, 70:80] = 0
    assert beginnings(mixed) == [0]


def test_one_thread_alone_tells_nothing() -> None:
    uses = np.zeros((1, 64))
    uses[0, :8] = uses[0, 32:40] = 64.0
    assert beginnings(uses) == [0]
