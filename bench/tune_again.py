"""How alike two runs of the same placements are: no model comes nearer to a run than chance lets
another run come. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np
from tune_judgement import rank
from tune_runs import Measured


@dataclass(frozen=True)
class Again:
    """The candidates of a case that ran both times: their times relative to that of the program as
    it is, which is the first."""

    first: tuple[float, ...]
    again: tuple[float, ...]

    COLUMNS: ClassVar[tuple[str, ...]] = ("runs", "median", "95th", "rank")

    def cells(self) -> list[str]:
        """Of the table."""
        apart = _apart([self])
        return [
            str(len(apart)),
            f"{np.median(apart):.1%}",
            f"{np.percentile(apart, 95):.1%}",
            f"{rank(np.array(self.first), np.array(self.again)):.2f}",
        ]


def run_again(first: Measured, again: Measured) -> Again:
    """Compares two runs of a case."""
    one, other = first.relative, again.relative
    both = [name for name in one if name in other]
    return Again(tuple(one[name] for name in both), tuple(other[name] for name in both))


def _apart(found: Sequence[Again]) -> list[float]:
    """By how much each second time differs from the first; the program as it is left out."""
    pairs = [zip(case.first[1:], case.again[1:], strict=True) for case in found]
    return [abs(again - first) / first for case in pairs for first, again in case]


def total_again(found: Sequence[Again]) -> str:
    """All cases together. A model that knew the time that each placement takes in the mean would
    correlate with a run as the square root of what two runs do with each other (Spearman, The
    proof and measurement of association between two things, 1904), if chance made them normal."""
    if not found:
        return "nothing has run twice"
    apart = _apart(found)
    first = np.concatenate([case.first[1:] for case in found])
    again = np.concatenate([case.again[1:] for case in found])
    over_all = rank(first, again)
    of_cases = np.median([rank(np.array(case.first), np.array(case.again)) for case in found])
    return "\n".join(
        [
            f"{len(found)} cases, {len(apart)} candidates, each run twice",
            f"relative times differ by: median {np.median(apart):.1%}, 95th percentile "
            f"{np.percentile(apart, 95):.1%}",
            f"rank correlation: {over_all:.3f} over all candidates, median of the cases "
            f"{of_cases:.3f}",
            "what a model would reach that knew the mean: "
            f"{sqrt(max(0.0, over_all)):.3f} and {sqrt(max(0.0, of_cases)):.3f}",
        ]
    )
