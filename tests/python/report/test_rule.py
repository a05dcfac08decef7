"""The rule that marks the ability table, by value and at its borders."""

import pytest

from homenode.report.rule import Verdict, judge, together

DIAGONAL = [[0.25 if r == c else 0.0 for c in range(4)] for r in range(4)]
FLAT = [[1 / 16] * 4 for _ in range(4)]


def leaking(away: int) -> list[list[int]]:
    """10000 accesses over four nodes, of which `away` leave home, spread evenly."""
    return [
        [2500 - away // 4 if r == c else (away // 4 if c == (r + 1) % 4 else 0) for c in range(4)]
        for r in range(4)
    ]


def hot(share: int) -> list[list[int]]:
    """10000 accesses of which `share` go to node 2, the rest evenly to the others."""
    other = (10000 - share) / 3
    return [[int((share if c == 2 else other) * 3) for c in range(4)] for _ in range(4)]


@pytest.mark.parametrize(
    ("away", "verdict"),
    [(0, Verdict.HEALED), (296, Verdict.HEALED), (300, Verdict.HEALED), (304, Verdict.FLATTENED)],
)
def test_a_diagonal_may_lose_three_hundredths(away: int, verdict: Verdict) -> None:
    judgement = judge("diagonal", leaking(away), DIAGONAL, 4)
    assert judgement.verdict is verdict
    assert judgement.local == pytest.approx(1 - away / 10000)


@pytest.mark.parametrize(
    ("share", "shared", "divided"),
    [
        (2500, Verdict.HEALED, Verdict.FLATTENED),
        (3124, Verdict.HEALED, Verdict.FLATTENED),
        (3127, Verdict.NOT_HEALED, Verdict.NOT_HEALED),
        (10000, Verdict.NOT_HEALED, Verdict.NOT_HEALED),
    ],
)
def test_flat_means_no_node_above_a_quarter_more_than_its_part(
    share: int, shared: Verdict, divided: Verdict
) -> None:
    assert judge("flat", hot(share), FLAT, 4).verdict is shared
    judgement = judge("diagonal", hot(share), DIAGONAL, 4)
    assert judgement.verdict is divided
    assert judgement.hottest_column == (2 if share > 2500 else judgement.hottest_column)
    assert judgement.flat_limit == 1.25 / 4


def test_the_limit_counts_nodes_with_memory_alone() -> None:
    half = [[5, 5, 0], [5, 5, 0], [0, 0, 0]]
    assert judge("flat", half, half, 2).verdict is Verdict.HEALED
    assert judge("flat", half, half, 3).verdict is Verdict.NOT_HEALED


def test_partial_is_measured_against_its_own_perfect_share() -> None:
    best = [[0.43, 0.07], [0.07, 0.43]]
    assert judge("diagonal", [[84, 16], [16, 84]], best, 2).verdict is Verdict.HEALED
    assert judge("diagonal", [[82, 18], [18, 82]], best, 2).verdict is Verdict.FLATTENED


def test_nothing_counted_heals_nothing() -> None:
    empty = [[0, 0], [0, 0]]
    assert judge("flat", empty, empty, 2).verdict is Verdict.NOT_HEALED
    assert judge("diagonal", empty, empty, 2).verdict is Verdict.NOT_HEALED


def test_several_cases_are_as_good_as_the_worst() -> None:
    assert together([Verdict.HEALED, Verdict.HEALED]) is Verdict.HEALED
    assert together([Verdict.HEALED, Verdict.FLATTENED]) is Verdict.FLATTENED
    assert together([Verdict.FLATTENED, Verdict.NOT_HEALED]) is Verdict.NOT_HEALED
