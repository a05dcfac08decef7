"""homenode.tune.first_users: who brought memory in, where nobody saw it."""

import numpy as np

from homenode.model import Floats
from homenode.tune.first_users import first_users

NODES = (0, 0, 1, 1)
ALIKE = np.ones((4, 4))
NONE = np.zeros((4, 4))


def only(*cells: tuple[int, int]) -> Floats:
    """Uses of these threads of these blocks alone."""
    found = np.zeros((4, 4))
    for thread, block in cells:
        found[thread, block] = 10.0
    return found


def test_each_block_is_of_the_thread_there_that_uses_it_most() -> None:
    uses = only((1, 0), (0, 1), (3, 2), (2, 3)) + ALIKE
    assert first_users(uses, NONE, (0, 0, 1, 1), NODES) == [1, 0, 3, 2]


def test_what_is_used_alike_was_parted_among_the_threads_of_its_node() -> None:
    assert first_users(ALIKE, NONE, (0, 0, 1, 1), NODES) == [0, 1, 2, 3]
    # Each stretch by itself: an array that lies in parts was filled in parts.
    assert first_users(ALIKE, NONE, (1, 0, 1, 1), NODES) == [2, 0, 2, 3]


def test_what_lies_with_the_main_thread_is_its_own() -> None:
    assert first_users(only((1, 0), (3, 3)) + ALIKE, NONE, (0, 0, 0, 0), NODES) == [0, 0, 0, 0]


def test_who_was_seen_first_is_believed_where_its_node_fits() -> None:
    seen = only((1, 0), (3, 1))
    assert first_users(ALIKE, seen, (0, 1, 1, 0), NODES) == [1, 3, 3, 0]
    assert first_users(ALIKE, seen, (0, 0, 1, 1), NODES) == [0, 1, 2, 3]


def test_a_thread_beside_the_main_one_did_not_fill_what_all_use() -> None:
    seen = only((1, 0), (1, 1))
    private = only((0, 2), (0, 3), (1, 0), (1, 1))
    assert first_users(private, seen, (0, 0, 0, 0), NODES) == [1, 1, 0, 0]
    assert first_users(private + ALIKE, seen, (0, 0, 0, 0), NODES) == [0, 0, 0, 0]


def test_memory_that_no_thread_is_near_is_the_main_threads() -> None:
    assert first_users(ALIKE, NONE, (5, 5, 0, 0), NODES) == [0, 0, 0, 1]
