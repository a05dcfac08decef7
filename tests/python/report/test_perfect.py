"""The perfect matrix of a pattern, by value."""

import pytest

from homenode.report.page import SHAPES
from homenode.report.perfect import perfect_matrix, shape_of
from homenode.report.words import PATTERNS
from homenode.study.spec import WORKLOADS

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
    diagonal = ("divided", "interleaved", "partial", "2d-rows", "3d-blocks", "multi-patterns")
    assert {shape_of(p) for p in diagonal} == {"diagonal"}
    assert {shape_of(p) for p in ("shared", "2d-shared-rows", "3d-shared-z")} == {"flat"}


def test_every_pattern_of_a_study_has_a_name_and_a_shape() -> None:
    patterns = WORKLOADS["map"]["pattern"]
    assert isinstance(patterns, tuple) and set(patterns) == set(PATTERNS) == set(SHAPES)
