"""The perfect matrix of a pattern, by value."""

import pytest

from homenode.report.perfect import perfect_matrix
from homenode.report.words import Words
from homenode.study.description import describe

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


def test_goals_come_from_the_workload_or_else_from_a_patterns_name() -> None:
    names = ("divided", "interleaved", "partial", "2d-rows", "3d-blocks", "multi-patterns")
    for words in (Words.of(describe("map")), Words.of_cases([])):
        assert {words.goal(name) for name in names} == {"diagonal"}
        shared = ("shared", "2d-shared-rows", "3d-shared-z")
        assert {words.goal(name) for name in shared} == {"flat"}


def test_a_name_that_no_workload_has_stands_for_itself() -> None:
    words = Words.of(describe("map"))
    assert words.pattern("partial").name == "partially shared"
    assert words.pattern("spiral").name == words.method("spiral").name == "spiral"
