"""The perfect matrix of a pattern, by value."""

import pytest

from homenode.report.perfect import perfect_matrix, shape_of

TWO_EACH = [0, 0, 1, 1]


def test_what_everybody_uses_is_spread_evenly() -> None:
    assert perfect_matrix("shared", TWO_EACH, [0, 1], [0, 1]) == [[0.25, 0.25], [0.25, 0.25]]


@pytest.mark.parametrize("pattern", ["divided", "interleaved"])
def test_what_one_thread_owns_is_at_home(pattern: str) -> None:
    assert perfect_matrix(pattern, TWO_EACH, [0, 1], [0, 1]) == [[0.5, 0.0], [0.0, 0.5]]


def test_partial_adds_the_declared_share_of_both_neighbours() -> None:
    # Threads 0 1 | 2 3 with half of each neighbour: 1.5, 2, 2, 1.5; only 1 <-> 2 cross the border.
    expected = [[3 / 7, 0.5 / 7], [0.5 / 7, 3 / 7]]
    found = perfect_matrix("partial", TWO_EACH, [0, 1], [0, 1], 50)
    assert [pytest.approx(row) for row in expected] == found


def test_partial_without_overlap_is_divided() -> None:
    assert perfect_matrix("partial", TWO_EACH, [0, 1], [0, 1], 0) == perfect_matrix(
        "divided", TWO_EACH, [0, 1], [0, 1]
    )


def test_threads_may_be_unevenly_spread_over_sparse_ids() -> None:
    assert perfect_matrix("divided", [5, 5, 5, 0], [0, 5], [0, 5]) == [[0.25, 0.0], [0.0, 0.75]]


def test_a_node_without_memory_cannot_be_home() -> None:
    found = perfect_matrix("divided", [0, 1, 2, 2], [0, 1, 2], [0, 1])
    assert found == [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.25, 0.25, 0.0]]
    assert perfect_matrix("shared", [0, 2], [0, 2], [0]) == [[0.5, 0.0], [0.5, 0.0]]


def test_shapes() -> None:
    assert [shape_of(p) for p in ("shared", "divided", "interleaved", "partial")] == [
        "flat",
        "diagonal",
        "diagonal",
        "diagonal",
    ]
