"""Holds papers against records: each claim with its finding, and contradictions. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homenode.claims import moves, rules, scaling, shapes
from homenode.claims.gains import Span, time_ratios
from homenode.claims.points import Observed, chosen, observed, scale_of
from homenode.claims.reasons import reasons
from homenode.claims.rules import Rule
from homenode.claims.table import Claim, Contradiction, Paper
from homenode.claims.verdict import Finding, Verdict, undecided
from homenode.study.quick import quick_name
from homenode.study.records import Record

FIGURE = "F"
READINGS = ("share of the time", "gain in speed")


def _none(claim: Claim, cases: Sequence[Observed]) -> Finding:
    return undecided(claim.text("why"))


BY_NAME: Mapping[str, Rule] = {
    "better": rules.better,
    "no-gain": rules.no_gain,
    "best": rules.best,
    "worst": rules.worst,
    "close": rules.close,
    "gains-within": rules.gains_within,
    "mostly-below": rules.mostly_below,
    "slows": scaling.slows,
    "only-scaling": scaling.only_scaling,
    "ratio": scaling.time_ratio,
    "speed-up": scaling.speed_up,
    "grows": scaling.grows,
    "mostly-useless": moves.mostly_useless,
    "shape": shapes.shape,
    "none": _none,
}


@dataclass(frozen=True)
class Judged:
    """A claim and what became of it."""

    claim: Claim
    finding: Finding
    reasons: str = ""  # What the lab counted of the strategies that it compares.


@dataclass(frozen=True)
class JudgedPaper:
    """A paper, its claims in order, and what it says against itself, in a sentence each.

    One form of its studies decides the claims: the full one, or the quick one. `divided_by`: what
    caches and memory of the machines were divided by, each number once.
    """

    paper: Paper
    claims: tuple[Judged, ...]
    contradictions: tuple[str, ...]
    quick: bool = False
    divided_by: tuple[int, ...] = ()

    @property
    def form(self) -> str:
        """The form's name."""
        return "quick" if self.quick else "full"

    def count(self, verdict: Verdict) -> int:
        """How many claims have a verdict."""
        return sum(each.finding.verdict == verdict for each in self.claims)

    @property
    def in_size_alone(self) -> int:
        """How many claims differ in the printed size, while the order is as the paper says."""
        return sum(each.finding.size_alone for each in self.claims)


def judge(papers: Iterable[Paper], records: Sequence[Record]) -> list[JudgedPaper]:
    """Every claim of the papers, by the full form of their studies and by the quick one, where
    there are records. Those of another study than a paper's decide nothing of it."""
    judged = []
    for paper in papers:
        for quick in (False, True):
            names = {quick_name(name) if quick else name for name in paper.studies}
            own = [r for r in records if str(r["study"]) in names]
            if own:
                judged.append(_judged_paper(paper, own, quick))
    return judged


def _judged_paper(paper: Paper, records: Sequence[Record], quick: bool) -> JudgedPaper:
    cases = observed(records, paper.placement)
    claims = tuple(_judged(claim, cases) for claim in paper.claims)
    contradictions = tuple(contradiction_text(each) for each in paper.contradictions)
    scales = sorted({scale_of(str(r["case"]["machine"])) for r in records})
    return JudgedPaper(paper, claims, contradictions + paper.remarks, quick, tuple(scales))


def decided_alike(one: JudgedPaper, other: JudgedPaper) -> tuple[int, int]:
    """How many claims have the same verdict in both forms, and how many have one in both."""
    pairs = [
        (a.finding.verdict, b.finding.verdict)
        for a, b in zip(one.claims, other.claims, strict=True)
        if Verdict.UNDECIDED not in (a.finding.verdict, b.finding.verdict)
    ]
    return sum(a == b for a, b in pairs), len(pairs)


def _judged(claim: Claim, cases: Sequence[Observed]) -> Judged:
    own = chosen(cases, claim.machine, claim.where, claim.threads)
    return Judged(claim, BY_NAME[claim.rule](claim, own), reasons(claim, own))


def contradiction_text(of: Contradiction) -> str:
    """Which order of two strategies follows from each pair of printed gains, in both readings."""
    parts = []
    opposite = True
    for reading, name in enumerate(READINGS):
        first, second = (
            time_ratios(pair[0])[reading] / time_ratios(pair[1])[reading]
            for pair in (of.first, of.second)
        )
        opposite = opposite and (first - 1) * (second - 1) < 0
        parts.append(f"{first:.2f} and {second:.2f} as {name}")
    text = (
        f"The time of {of.one} over that of {of.other}, as it follows from {', '.join(of.claims)}: "
        f"{'; '.join(parts)}."
    )
    if opposite:
        return f"{text} They contradict each other in either reading."
    return f"{text} They can be read without contradiction."


def to_json(judged: Sequence[JudgedPaper]) -> list[dict[str, Any]]:
    """The verdicts as data, paper by paper."""
    return [
        {
            "paper": each.paper.id,
            "title": each.paper.title,
            "form": each.form,
            "divided_by": list(each.divided_by),
            "claims": [_claim_json(one) for one in each.claims],
            "contradictions": list(each.contradictions),
        }
        for each in judged
    ]


def _claim_json(judged: Judged) -> dict[str, Any]:
    claim, finding = judged.claim, judged.finding
    printed = claim.settings.get("percent", claim.settings.get("value"))
    return {
        "id": claim.id,
        "kind": claim.kind,
        "says": claim.says,
        "rule": claim.rule,
        "machine": claim.machine or None,
        "printed": printed,
        "tolerance": claim.tolerance,
        "verdict": str(finding.verdict),
        "size_alone": finding.size_alone,
        "found": finding.found,
        "value": finding.value,
        "unit": finding.unit,
        "saved_percent": _span_json(finding.saved),
        "faster_percent": _span_json(finding.faster),
        "why": finding.why,
        "counted": judged.reasons,
    }


def _span_json(span: Span | None) -> dict[str, float] | None:
    if span is None:
        return None
    return {"mean": span.value, "low": span.low, "high": span.high}
