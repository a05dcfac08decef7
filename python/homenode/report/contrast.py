"""Which methods help: their times beside doing nothing, and the pair that shows most. Pure.

Shape and time are judged apart: a perfect matrix that takes longer than the default is no help.
"""

from dataclasses import dataclass
from statistics import median

from homenode.report import rule
from homenode.report.model import CaseView, MachineView
from homenode.study.description import FLAT
from homenode.study.times import MEASURED, MODELLED

SAME = 0.05  # Medians of which the larger is at most this much above the other count as equal.


@dataclass(frozen=True)
class Contrast:
    """The pair of cases that shows most: a pattern by default, and where it was well placed."""

    before: CaseView
    after: CaseView


def telling_contrast(view: MachineView) -> Contrast | None:
    """Among the patterns with a home, the largest gain in local share over the default.

    Of the methods that reach as much and do not take longer than the default, the least invasive.
    """
    best: Contrast | None = None
    for row in view.rows:
        if "default" not in row.cases or row.goal == FLAT:
            continue
        before = row.cases["default"]
        # In the order of the workload's description: from the least invasive on.
        members = [row.cases[method] for method in view.methods if method in row.cases]
        useful = [case for case in members if not is_slower(case, before)]
        most = max(case.judgement.local for case in useful)
        after = next(c for c in useful if c.judgement.local >= most - rule.LOCAL_TOLERANCE)
        gain = after.judgement.local - before.judgement.local
        if gain > 0.05 and (best is None or gain > _gain(best) + 0.005):
            best = Contrast(before, after)
    return best


def slowdown(case: CaseView, default: CaseView) -> float | None:
    """Its median time over the default's, of the first kind of time that both have."""
    for provenance in (MODELLED, MEASURED):
        own, others = (
            [run.seconds for run in each.times if run.provenance == provenance]
            for each in (case, default)
        )
        if own and others:
            return median(own) / median(others)
    return None


def is_slower(case: CaseView, default: CaseView) -> bool:
    """The method makes things worse, whatever its matrix: it takes longer than doing nothing."""
    factor = slowdown(case, default)
    return factor is not None and factor > 1 + SAME


def _gain(contrast: Contrast) -> float:
    return contrast.after.judgement.local - contrast.before.judgement.local
