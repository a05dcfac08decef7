"""The rule that decides, from matrices alone, which method heals which pattern. Pure.

It is stated in words by RULE, which the page prints; the code below is that text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from homenode.matrix import columns, hottest_share, local_share, total
from homenode.study.description import FLAT

LOCAL_TOLERANCE = 0.03
FLAT_TOLERANCE = 1.25

RULE = (
    "A method heals a pattern (✓) when the measured matrix reaches the perfect one, for reads and "
    "for writes.",
    "Where the perfect matrix is a diagonal, that means: the local share is at most "
    f"{LOCAL_TOLERANCE:.2f} below the perfect local share.",
    f"Where it is flat: no node receives more than {FLAT_TOLERANCE} / N of the accesses, N being "
    "the number of nodes with memory.",
    "Otherwise the mark is ×, with the note “flattened” when no node receives more than "
    f"{FLAT_TOLERANCE} / N although a diagonal was possible.",
    "Several phases (multi-patterns) are judged one by one, and the worst counts.",
)


class Verdict(StrEnum):
    """What a method did to a pattern."""

    HEALED = "healed"
    FLATTENED = "flattened"
    NOT_HEALED = "not healed"


@dataclass(frozen=True)
class Judgement:
    """A verdict and the numbers that it rests on."""

    verdict: Verdict
    local: float
    perfect_local: float
    hottest: float
    hottest_column: int
    flat_limit: float


def judge(
    goal: str,
    measured: Sequence[Sequence[float]],
    best: Sequence[Sequence[float]],
    memory_nodes: int,
) -> Judgement:
    """Applies the rule to a measured matrix; `goal` is FLAT or DIAGONAL. pre: memory_nodes > 0."""
    local, perfect_local = local_share(measured), local_share(best)
    hottest = hottest_share(measured)
    limit = FLAT_TOLERANCE / memory_nodes
    flat = total(measured) > 0 and hottest <= limit
    if goal == FLAT:
        verdict = Verdict.HEALED if flat else Verdict.NOT_HEALED
    elif total(measured) > 0 and local >= perfect_local - LOCAL_TOLERANCE:
        verdict = Verdict.HEALED
    else:
        verdict = Verdict.FLATTENED if flat else Verdict.NOT_HEALED
    sums = columns(measured)
    return Judgement(verdict, local, perfect_local, hottest, sums.index(max(sums)), limit)


_WORST_FIRST = [Verdict.NOT_HEALED, Verdict.FLATTENED, Verdict.HEALED]


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict over several cases is the worst one. pre: verdicts is not empty."""
    return min(verdicts, key=_WORST_FIRST.index)


def worse(one: Verdict, other: Verdict) -> bool:
    """Whether the first is farther from the perfect matrix than the second."""
    return _WORST_FIRST.index(one) < _WORST_FIRST.index(other)
