"""The table of ./dev bench balance, and which of its goals hold. Pure."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tables

from balance.cases import BALANCERS, BESIDE, Case, Goal, Unit

Record = dict[str, Any]
HEADINGS = (
    "program",
    "beside it",
    "page moves",
    "affinity changes",
    "local share",
    "of the best",
    "busiest node",
    "modelled time",
    "moves per misplaced page",
    "runs",
)
WAY_HEADINGS = (
    "program",
    "beside it",
    "CPU time on the way",
    "as many misses beside nothing",
    "runs",
)
# Of a record; an older bench did not keep all of them.
FIGURES = (
    "page_moves",
    "affinity_changes",
    "local_share",
    "hottest_share",
    *(unit.value for unit in Unit),
)
MS_PER_NS = 1e-6
# A placement that brings no more than that is none to move pages for.
NO_GAIN = 0.05
# Of the best placement that does not change.
NEAR = 0.95


def spread(values: Sequence[float], shown: Callable[[float], str]) -> str:
    """Median, and least to most where they differ."""
    least, most = shown(min(values)), shown(max(values))
    middle = shown(statistics.median(values))
    return middle if least == most else f"{middle} ({least} to {most})"


def whole(value: float) -> str:
    """A count."""
    return f"{value:.0f}"


def share(value: float) -> str:
    """A share."""
    return f"{value:.3f}"


SHOWN: dict[Unit, Callable[[float], str]] = {
    Unit.MISS: lambda ns: f"{ns:.0f} ns a miss",
    Unit.INSTRUCTION: lambda ns: f"{ns:.3f} ns an instruction",
}


class Runs:
    """The runs of a case, by what was beside it."""

    def __init__(self, case: Case, records: Iterable[Record]) -> None:
        self.case = case
        mine = [one for one in records if one["case"] == case.name]
        self.by = {
            beside: [one for one in mine if one["beside"] == beside]
            for beside in BESIDE
            if any(one["beside"] == beside for one in mine)
        }

    def median(self, beside: str, key: str) -> float | None:
        """Of a figure; None where nothing has run."""
        found = [one[key] for one in self.by.get(beside, []) if key in one]
        return statistics.median(found) if found else None

    def fastest(self) -> str | None:
        """The fastest placement that does not change; None where none has run."""
        unit = self.case.unit.value
        times = {one: self.median(one, unit) for one in ("placed", "interleave")}
        known = {one: time for one, time in times.items() if time is not None}
        return min(known, key=known.__getitem__) if known else None

    def of_fastest(self, key: str) -> float | None:
        """A figure of that."""
        fastest = self.fastest()
        return self.median(fastest, key) if fastest else None

    def best(self) -> float | None:
        """The local share of the best placement that does not change."""
        if self.case.best is not None:
            return self.case.best
        return self.of_fastest("local_share")

    def misplaced(self) -> float | None:
        """Pages that are used and remote where nothing balances; None where no placement helps."""
        start, best = self.median("nothing", "local_share"), self.best()
        pages = self.median("nothing", "pages")
        if start is None or best is None or pages is None or best - start < NO_GAIN:
            return None
        return pages * self.case.used * (1 - start)


def of_the_best(runs: Runs, value: float) -> float | None:
    """A local share, over that of the best placement."""
    best = runs.best()
    return value / best if best else None


def rows(runs: Runs) -> list[list[str]]:
    """A row for each balancer."""
    found = []
    misplaced, unit = runs.misplaced(), runs.case.unit
    alone = runs.median("nothing", unit.value)
    for beside, records in runs.by.items():
        values = {key: [float(one[key]) for one in records if key in one] for key in FIGURES}
        shares, times = values["local_share"], values[unit.value]
        near = [ratio for one in shares if (ratio := of_the_best(runs, one)) is not None]
        moves = [one / misplaced for one in values["page_moves"]] if misplaced else []
        of_alone = f", {statistics.median(times) / alone:.2f} of nothing" if alone else ""
        found.append(
            [
                runs.case.name,
                beside,
                spread(values["page_moves"], whole),
                spread(values["affinity_changes"], whole),
                spread(shares, share),
                spread(near, share) if near else "–",
                spread(values["hottest_share"], share) if values["hottest_share"] else "–",
                spread(times, SHOWN[unit]) + of_alone,
                spread(moves, _ratio) if moves else "–",
                str(len(records)),
            ]
        )
    return found


def table(all_runs: Sequence[Runs]) -> str:
    """All rows, in Markdown."""
    return "\n".join(
        [tables.head(HEADINGS), *(tables.row(one) for run in all_runs for one in rows(run))]
    )


def ways(all_runs: Sequence[Runs]) -> str:
    """What it takes to get to a placement, in Markdown: the modelled CPU time of all threads, the
    balancer's too, and what as many misses take beside nothing."""
    made = [tables.head(WAY_HEADINGS)]
    for runs in all_runs:
        alone = runs.median("nothing", Unit.MISS.value)
        for beside, records in runs.by.items():
            if alone is None or beside == "nothing":
                continue
            took = [one["way_busy_ns"] for one in records]
            else_took = [one["way_misses"] * alone for one in records]
            ratios = [one / other for one, other in zip(took, else_took, strict=True)]
            shown = f"{spread(took, _ms)}, {spread(ratios, _ratio)} of it"
            cells = [runs.case.name, beside, shown, spread(else_took, _ms), str(len(records))]
            made.append(tables.row(cells))
    return "\n".join(made)


def _ms(nanoseconds: float) -> str:
    return f"{nanoseconds * MS_PER_NS:.0f} ms"


def _ratio(value: float) -> str:
    return f"{value:.2f}"


def shortfalls(runs: Runs, balancer: str = "balance") -> list[str]:
    """What the balancer's runs show that it should not have: each run counts."""
    found = []
    for record in runs.by.get(balancer, []):
        found += [fault for fault in (_moves(runs, record), _near(runs, record)) if fault]
    slower = _slower(runs, balancer)
    return list(dict.fromkeys([*found, *([slower] if slower else [])]))


def _moves(runs: Runs, record: Record) -> str:
    moves, pages = record["page_moves"], max(record["pages"], 1)
    misplaced = runs.misplaced()
    goal = runs.case.goal
    if goal is Goal.NOTHING:
        return (
            f"{moves} moves, {record['affinity_changes']} changes"
            if moves or record["affinity_changes"]
            else ""
        )
    if goal is Goal.ONCE and misplaced and moves > 1.05 * misplaced:
        return f"{moves / misplaced:.2f} moves per misplaced page"
    kernel = runs.median("kernel", "page_moves")
    if goal is Goal.SHARED and kernel is not None and moves > kernel / 2:
        return f"{moves} moves, more than half of the kernel's {kernel:.0f}"
    # What brings something is no move to no avail.
    start = runs.median("nothing", "local_share")
    gains = start is not None and record["local_share"] >= start + NO_GAIN
    if goal is Goal.IDLE and moves > pages / 100 and not gains:
        return f"{moves} moves to no avail"
    return ""


def _near(runs: Runs, record: Record) -> str:
    """Of the local share; where no placement makes that better, or memory in turn is the fastest,
    of the balance of the nodes. What is faster than the fastest misses nothing."""
    if runs.case.goal not in (Goal.SHARED, Goal.BEST, Goal.ONCE, Goal.IDLE):
        return ""
    unit = runs.case.unit.value
    fastest = runs.of_fastest(unit) if runs.case.best is None else None
    if fastest is not None and record[unit] <= fastest:
        return ""
    near = of_the_best(runs, record["local_share"])
    hottest = runs.of_fastest("hottest_share")
    even = hottest / record["hottest_share"] if hottest and "hottest_share" in record else 1
    in_turn = fastest is not None and runs.fastest() == "interleave"
    if (in_turn or runs.misplaced() is None) and even < NEAR:
        return f"{even:.3f} of the best balance"
    return f"{near:.3f} of the best local share" if near is not None and near < NEAR else ""


def _slower(runs: Runs, balancer: str) -> str:
    alone, beside = (runs.median(one, runs.case.unit.value) for one in ("nothing", balancer))
    if alone is None or beside is None or beside <= 1.02 * alone:
        return ""
    return f"it takes {100 * (beside / alone - 1):.0f} % longer than with nothing beside it"


def judgement(all_runs: Sequence[Runs]) -> str:
    """A line for each program that homenode has balanced."""
    lines = []
    for balancer in BALANCERS:
        for runs in all_runs:
            if not runs.by.get(balancer):
                continue
            faults = shortfalls(runs, balancer)
            verdict = f"missed: {'; '.join(faults)}" if faults else "held"
            lines.append(f"{runs.case.name}, {balancer} ({runs.case.goal.value}): {verdict}")
    return "\n".join(lines)
