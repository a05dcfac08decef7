"""How long each method took: medians and spreads, relative to doing nothing, and what they follow.

Pure. Modelled and measured times never stand in one table or chart: there is one for each kind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from homenode.report.contrast import SAME, Contrast
from homenode.report.model import CaseView, GridRow, MachineView
from homenode.report.rule import Verdict, worse
from homenode.report.words import duration, percent
from homenode.study.times import MEASURED, MODELLED, RunTime

DEFAULT = "default"
MOSTLY_CACHES = 0.5  # From here on, time is a matter of what CPUs take from each other.
FOLLOWS, NOT_APART, AGAINST = "follows", "follows where times can be told apart", "does not follow"


@dataclass(frozen=True)
class MethodTime:
    """The time of one case over its repetitions. `relative` is to the default's, None without."""

    case: CaseView
    runs: tuple[RunTime, ...]
    relative: float | None = None

    @property
    def seconds(self) -> float:
        """The median."""
        return median(run.seconds for run in self.runs)

    @property
    def is_slower(self) -> bool:
        """It takes longer than doing nothing, whatever its matrix looks like."""
        return self.relative is not None and self.relative > 1 + SAME

    @property
    def low(self) -> float:
        """The shortest run, in seconds."""
        return min(run.seconds for run in self.runs)

    @property
    def high(self) -> float:
        """The longest run, in seconds."""
        return max(run.seconds for run in self.runs)

    @property
    def spread(self) -> float | None:
        """Longest minus shortest run over the median; None for one run."""
        return (self.high - self.low) / self.seconds if len(self.runs) > 1 else None

    @property
    def local_read_share(self) -> float | None:
        """The median share of the memory's lines that were read on their own node."""
        shares = [r.local_read_share for r in self.runs if r.local_read_share is not None]
        return median(shares) if shares else None

    @property
    def from_caches(self) -> float | None:
        """The median share of the lines that came from another CPU's cache."""
        shares = [run.from_caches for run in self.runs if run.from_caches is not None]
        return median(shares) if shares else None

    @property
    def busiest_controller(self) -> tuple[int, float] | None:
        """Node and utilisation of the busiest controller, in the run nearest to the median."""
        return min(self.runs, key=lambda run: abs(run.seconds - self.seconds)).busiest_controller


@dataclass(frozen=True)
class TimeRow:
    """One pattern under one operation, its times by method; and what their order says."""

    row: GridRow
    times: Mapping[str, MethodTime]

    @property
    def ranked(self) -> list[MethodTime]:
        """The fastest first."""
        return sorted(self.times.values(), key=lambda time: time.seconds)

    @property
    def against(self) -> list[tuple[MethodTime, MethodTime]]:
        """Pairs (slower, faster) in which the slower one has the better matrix."""
        pairs = combinations(self.ranked, 2)
        return [(b, a) for a, b in pairs if not _same(a, b) and _is_worse(a, b)]

    @property
    def order(self) -> str | None:
        """Whether time follows shape; None where all matrices have one shape."""
        pairs = [(a, b) for a, b in combinations(self.ranked, 2) if _shape(a) is not _shape(b)]
        if not pairs:
            return None
        if self.against:
            return AGAINST
        return NOT_APART if any(_same(a, b) for a, b in pairs) else FOLLOWS


@dataclass(frozen=True)
class TimeView:
    """All times of one provenance on one machine, by operation."""

    provenance: str
    panels: Mapping[str, tuple[TimeRow, ...]]

    @property
    def rows(self) -> list[TimeRow]:
        """Every row of every panel."""
        return [row for rows in self.panels.values() for row in rows]

    @property
    def label(self) -> str:
        """Where the times come from, in the words that stand beside each of them."""
        return LABELS[self.provenance]

    @property
    def largest_spread(self) -> MethodTime | None:
        """The time that differs most between its runs; None where nothing was repeated."""
        repeated = [t for row in self.rows for t in row.times.values() if t.spread is not None]
        return max(repeated, key=lambda time: time.spread or 0.0, default=None)


LABELS: Mapping[str, str] = {MODELLED: "modelled by the lab", MEASURED: "measured on this host"}


def _shape(time: MethodTime) -> Verdict:
    return time.case.judgement.verdict


def _is_worse(one: MethodTime, other: MethodTime) -> bool:
    return worse(_shape(one), _shape(other))


def _same(one: MethodTime, other: MethodTime) -> bool:
    low, high = sorted((one.seconds, other.seconds))
    return high <= low * (1 + SAME)


def time_views(view: MachineView) -> list[TimeView]:
    """One for each kind of time in a machine's records; none where they hold no time."""
    views = []
    for provenance in (MODELLED, MEASURED):
        rows = [made for row in view.rows if (made := _row(row, provenance, view.methods)).times]
        if rows:
            ops = [op for op in view.words.operations.values() if any(r.row.op == op for r in rows)]
            panels = {op: tuple(r for r in rows if r.row.op == op) for op in ops}
            views.append(TimeView(provenance, panels))
    return views


def _row(row: GridRow, provenance: str, methods: Sequence[str]) -> TimeRow:
    found: dict[str, tuple[CaseView, tuple[RunTime, ...]]] = {}
    for method in methods:
        if method in row.cases:
            case = row.cases[method]
            runs = tuple(time for time in case.times if time.provenance == provenance)
            if runs:
                found[method] = (case, runs)
    base = MethodTime(*found[DEFAULT]).seconds if DEFAULT in found else None
    return TimeRow(
        row,
        {
            method: MethodTime(case, runs, base and MethodTime(case, runs).seconds / base)
            for method, (case, runs) in found.items()
        },
    )


def contrast_text(view: MachineView, contrast: Contrast) -> str:
    """What the page's leading pair of cases means for the time, in a sentence; "" without times."""
    for kind in time_views(view):
        known = {time.case.case.id: time for row in kind.rows for time in row.times.values()}
        before = known.get(contrast.before.case.id)
        after = known.get(contrast.after.case.id)
        if before is not None and after is not None:
            return (
                f"Its measured part took {duration(before.seconds)} before and "
                f"{duration(after.seconds)} after, {kind.label}."
            )
    return ""


def order_text(row: TimeRow) -> str:
    """The methods from the fastest on: "API ≈ rewrite < command line < default"."""
    words: list[str] = []
    for before, time in zip([None, *row.ranked[:-1]], row.ranked, strict=True):
        if before is not None:
            words.append("≈" if _same(before, time) else "<")
        words.append(time.case.method_name)
    return " ".join(words)


def row_text(row: TimeRow) -> str:
    """The order of a row's methods by time, and whether it is that of the shapes."""
    if not row.against:
        where = "" if row.order == FOLLOWS else " where times differ"
        return f"{order_text(row)}: follows the shapes{where}."
    pairs = (
        f"{slow.case.method_name} is slower than {fast.case.method_name} although its matrix is "
        "nearer to the perfect one"
        for slow, fast in row.against
    )
    text = f"{order_text(row)}: does not follow the shapes; {', '.join(pairs)}."
    shares = [t.from_caches for t in row.times.values() if t.from_caches is not None]
    if shares and min(shares) >= MOSTLY_CACHES:
        text += (
            f" {percent(min(shares))} and more of its lines came from other CPUs' caches, which no "
            "placement of memory changes."
        )
    return text


def summary_text(rows: Sequence[TimeRow]) -> str:
    """One sentence on all rows: does the order by time follow the shapes of the matrices?"""
    told = [row for row in rows if row.order is not None]
    if not told:
        return "All matrices of a row have one shape, so no order of times follows from them."
    follow = sum(row.order == FOLLOWS for row in told)
    against = sum(row.order == AGAINST for row in told)
    rows_text = f"all {follow}" if follow == len(told) else f"{follow} of {len(told)}"
    text = (
        f"In {rows_text} rows the order of the methods by time follows the shapes of "
        "their matrices: the nearer to the perfect one, the faster"
    )
    if apart := len(told) - follow - against:
        text += f"; in {apart} it does so where times differ by more than {100 * SAME:.0f} %"
    if against:
        text += f"; in {against} it does not"
    return text + "."
