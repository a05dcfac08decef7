"""A study's records as rules see them: how long each placement took at each point. Pure.

A point is what two placements have in common when they are compared: the machine, the program with
its options, and the number of threads.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from homenode.matrix import AccessMatrix
from homenode.study import program
from homenode.study.case import Case
from homenode.study.metrics import SECONDS, Figure
from homenode.study.records import Record, is_complete, run_key
from homenode.study.times import MEASURED, MODELLED, RunTime

THREADS = "threads"
CLOCKS = (MODELLED, MEASURED)  # Those that say something of the machine.


@dataclass(frozen=True)
class Sample:
    """The times of all repetitions of one case, in seconds."""

    values: tuple[float, ...]

    @property
    def middle(self) -> float:
        """The median."""
        return median(self.values)

    @property
    def low(self) -> float:
        """The least."""
        return min(self.values)

    @property
    def high(self) -> float:
        """The largest."""
        return max(self.values)

    @property
    def has_spread(self) -> bool:
        """Whether there are repetitions, without which noise is not known."""
        return len(self.values) > 1


@dataclass(frozen=True)
class Point:
    """What varies but the placement. `options` leave out threads and placement."""

    machine: str
    workload: str
    options: tuple[tuple[str, str], ...]
    threads: int

    @property
    def program(self) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        """The point without its number of threads."""
        return self.machine, self.workload, self.options


@dataclass(frozen=True)
class Observed:
    """One case: where it stands, its times, and where its accesses went."""

    point: Point
    placement: str
    sample: Sample | None
    matrix: AccessMatrix | None
    operation: str
    figures: Mapping[str, tuple[float, ...]]  # Of all repetitions, by the metric's name.
    time: RunTime | None = None  # Of the first repetition, with what explains it.


def machine_name(name: str) -> str:
    """A machine's name without the scale that a study divided it by."""
    return name.partition(" 1:")[0]


def scale_of(name: str) -> int:
    """What the machine of that name was divided by."""
    return int(name.partition(" 1:")[2] or 1)


def observed(records: Iterable[Record], placement: str) -> list[Observed]:
    """The cases of all complete records; `placement` is the option that places memory, where
    options of `homenode run` do not."""
    runs = {run_key(record): record for record in records if is_complete(record)}
    cases: dict[str, list[Record]] = {}
    for record in runs.values():
        cases.setdefault(str(record["case"]["id"]), []).append(record)
    return [_observed(members, placement) for members in cases.values()]


def _observed(members: Sequence[Record], placement: str) -> Observed:
    case = Case.from_json(members[0]["case"])
    placement = program.RUN if program.RUN in dict(case.options) else placement
    apart = (placement, THREADS)
    point = Point(
        machine_name(case.machine),
        case.workload,
        tuple(sorted((name, str(v)) for name, v in case.options if name not in apart)),
        int(case.option(THREADS, 0)),
    )
    values = tuple(second for record in members for second in _seconds(record))
    matrix = members[0]["matrix"]
    return Observed(
        point,
        str(case.option(placement, "")),
        Sample(values) if values else None,
        AccessMatrix.from_json(matrix) if matrix else None,
        str(case.option("op", "readwrite")),
        _figures(members),
        RunTime.from_json(members[0].get("time")),
    )


def _figures(members: Sequence[Record]) -> dict[str, tuple[float, ...]]:
    found: dict[str, tuple[float, ...]] = {}
    for record in members:
        for name, value in (record.get("figures") or {}).items():
            found[name] = found.get(name, ()) + Figure.from_json(value).values
    return found


def _seconds(record: Record) -> tuple[float, ...]:
    """Each run's time by a clock that says something of the machine."""
    found = (record.get("figures") or {}).get("seconds")
    if found is not None:
        figure = Figure.from_json(found)
        return figure.values if figure.provenance in CLOCKS and figure.unit == SECONDS else ()
    time = RunTime.from_json(record.get("time"))
    return () if time is None else (time.seconds,)


def chosen(
    cases: Iterable[Observed], machine: str, where: Mapping[str, str], threads: Sequence[int]
) -> list[Observed]:
    """The cases of a machine with these options; empty values choose everything.

    `where` may name the workload as if it were an option.
    """

    def fits(case: Observed) -> bool:
        has = {"workload": case.point.workload, **dict(case.point.options)}
        return (
            machine in ("", case.point.machine)
            and (not threads or case.point.threads in threads)
            and all(has.get(name) == value for name, value in where.items())
        )

    return [case for case in cases if fits(case)]


def by_point(cases: Iterable[Observed]) -> dict[Point, dict[str, Sample]]:
    """The times of each placement at each point, in order of threads."""
    found: dict[Point, dict[str, Sample]] = {}
    for case in cases:
        if case.sample is not None:
            found.setdefault(case.point, {})[case.placement] = case.sample
    return dict(sorted(found.items(), key=lambda item: (item[0].program, item[0].threads)))
