"""What a page shows of a workload that measures figures: by placement, threads and machine. Pure.

A figure that hangs on a clock is never compared with one of another clock: there is a panel for
each provenance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from homenode.matrix import AccessMatrix, local_share
from homenode.report.model import Failure, latest, no_complete_case
from homenode.study.case import Case, Option
from homenode.study.description import Description, Metric
from homenode.study.errors import StudyError
from homenode.study.machine import Machine
from homenode.study.metrics import EMULATED, OBSERVED, Figure
from homenode.study.records import Record, is_complete
from homenode.study.times import MEASURED, MODELLED

THREADS = "threads"
AS_IT_IS = "as it is"  # A placement without a name: no options of homenode run.
LABELS: Mapping[str, str] = {
    MODELLED: "modelled by the lab",
    MEASURED: "measured on this host",
    EMULATED: "by the clock of the host that emulates the machine, which says nothing about the "
    "machine",
    OBSERVED: "observed by the program",
}


@dataclass(frozen=True)
class Bar:
    """One figure of one case over all runs and repetitions. `relative`: to the system's placement.

    `local_share` is the share of accesses that stayed at home; None where nothing counted.
    """

    placement: str
    threads: str
    values: tuple[float, ...]
    local_share: float | None
    relative: float | None = None

    @property
    def value(self) -> float:
        """The median."""
        return median(self.values)

    @property
    def low(self) -> float:
        """The least of all runs."""
        return min(self.values)

    @property
    def high(self) -> float:
        """The largest of all runs."""
        return max(self.values)


@dataclass(frozen=True)
class Group:
    """The cases that differ in placement and threads alone. `label` says what else varies."""

    label: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Panel:
    """One metric by one clock."""

    metric: Metric
    provenance: str
    groups: tuple[Group, ...]

    @property
    def label(self) -> str:
        """Where the figures come from."""
        return LABELS[self.provenance]

    @property
    def is_compared(self) -> bool:
        """Whether something is beside what the system's own placement gives."""
        return any(bar.relative is not None for group in self.groups for bar in group.bars)


@dataclass(frozen=True)
class FigureView:
    """All cases of one workload on one machine."""

    machine: Machine
    workload: Description
    records: tuple[Record, ...]  # The complete ones.
    panels: tuple[Panel, ...]
    failures: tuple[Failure, ...]


def build(records: Iterable[Record], workload: Description) -> list[FigureView]:
    """A view for each machine. Raises StudyError when there is nothing to show."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in latest(records):
        machine = record["machine"]
        groups.setdefault((str(machine["name"]), str(machine["digest"])), []).append(record)
    views = [_view(group, workload) for group in groups.values()]
    views = [view for view in views if view.records]
    if not views:
        raise StudyError(no_complete_case(list(records)))
    return views


def build_all(records: Sequence[Record], workloads: Mapping[str, Description]) -> list[FigureView]:
    """The views of several workloads, one after the other. Raises StudyError as build does."""
    found = []
    for name, workload in workloads.items():
        own = [record for record in records if record["case"]["workload"] == name]
        if len(workloads) == 1 or any(map(is_complete, own)):
            found += build(own, workload)
    return found or build(records, next(iter(workloads.values())))


def _view(records: Sequence[Record], workload: Description) -> FigureView:
    complete = tuple(filter(is_complete, records))
    failures = tuple(
        Failure(_options_text(r, ()), str(r["error"]), " ".join(r["command"]))
        for r in records
        if not is_complete(r)
    )
    panels = [
        panel
        for metric in workload.metrics
        for provenance in LABELS
        if (panel := _panel(complete, workload, metric, provenance)).groups
    ]
    machine = Machine.from_json(records[0]["machine"])
    return FigureView(machine, workload, complete, tuple(panels), failures)


def _panel(
    records: Sequence[Record], workload: Description, metric: Metric, provenance: str
) -> Panel:
    cases: dict[str, list[Record]] = {}
    for record in records:
        found = record["figures"].get(metric.name)
        if found is not None and found["provenance"] == provenance:
            cases.setdefault(str(record["case"]["id"]), []).append(record)
    apart = tuple(name for name in (workload.placement, THREADS) if name)
    groups: dict[tuple[tuple[str, Option], ...], list[Bar]] = {}
    for members in cases.values():
        case = Case.from_json(members[0]["case"])
        rest = tuple(pair for pair in case.options if pair[0] not in apart)
        groups.setdefault(rest, []).append(_bar(case, members, workload, metric))
    varying = _varying(list(groups))
    return Panel(
        metric,
        provenance,
        tuple(
            Group(_label(rest, varying), _compared(bars, workload)) for rest, bars in groups.items()
        ),
    )


def _bar(case: Case, members: Sequence[Record], workload: Description, metric: Metric) -> Bar:
    values = [v for r in members for v in Figure.from_json(r["figures"][metric.name]).values]
    matrix = members[0]["matrix"]
    return Bar(
        placement=_placement(case, workload),
        threads=str(case.option(THREADS, "")),
        values=tuple(values),
        local_share=local_share(AccessMatrix.from_json(matrix).of("readwrite")) if matrix else None,
    )


def _placement(case: Case, workload: Description) -> str:
    if workload.placement is None:
        return ""
    return str(case.option(workload.placement, workload.standard(workload.placement))) or AS_IT_IS


def _compared(bars: Sequence[Bar], workload: Description) -> tuple[Bar, ...]:
    """Each beside what the default placement gives with as many threads, where there is another."""
    if len({bar.placement for bar in bars}) < 2:
        return tuple(bars)
    standard = (workload.standard(workload.placement) or AS_IT_IS) if workload.placement else ""
    base = {bar.threads: bar.value for bar in bars if bar.placement == standard}
    return tuple(
        Bar(b.placement, b.threads, b.values, b.local_share, _ratio(b.value, base.get(b.threads)))
        for b in bars
    )


def _ratio(value: float, base: float | None) -> float | None:
    return value / base if base else None


def _varying(keys: Sequence[tuple[tuple[str, Option], ...]]) -> set[str]:
    """The options that have several values, or that not every group has."""
    seen: dict[str, set[Any]] = {}
    for key in keys:
        for name, value in key:
            seen.setdefault(name, set()).add(value)
    return {
        name
        for name, values in seen.items()
        if len(values) > 1 or not all(name in dict(key) for key in keys)
    }


def _label(options: tuple[tuple[str, Option], ...], varying: set[str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options if name in varying)


def _options_text(record: Record, leave_out: Sequence[str]) -> str:
    options = record["case"]["options"]
    return " · ".join(str(value) for name, value in options.items() if name not in leave_out)


def to_json(views: Sequence[FigureView]) -> list[dict[str, Any]]:
    """The values of the page as data, machine by machine."""
    return [
        {
            "machine": view.machine.name,
            "workload": view.workload.name,
            "figures": [
                {
                    "metric": panel.metric.name,
                    "unit": panel.metric.unit,
                    "provenance": panel.provenance,
                    "group": group.label,
                    "placement": bar.placement,
                    "threads": int(bar.threads) if bar.threads.isdecimal() else None,
                    "median": bar.value,
                    "low": bar.low,
                    "high": bar.high,
                    "runs": len(bar.values),
                    "relative_to_default": bar.relative,
                    "local_share": bar.local_share,
                }
                for panel in view.panels
                for group in panel.groups
                for bar in group.bars
            ],
            "failures": [{"case": f.label, "error": f.error} for f in view.failures],
        }
        for view in views
    ]
