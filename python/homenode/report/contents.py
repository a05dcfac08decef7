"""What the records of one or several folders hold for a reader: views, claims, and their workloads.

Everything that the verb writes (a page, JSON, CSV, Markdown) is made of this one value.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from homenode import errors
from homenode.claims.judge import JudgedPaper, judge
from homenode.claims.table import papers_of
from homenode.report import figures, model
from homenode.report.figures import FigureView
from homenode.report.model import MachineView
from homenode.report.words import Words
from homenode.study import records
from homenode.study.description import Description, describe
from homenode.study.errors import StudyError
from homenode.study.records import Record


@dataclass(frozen=True)
class Contents:
    """Either `matrices` or `figures` has views, as the workloads have matrices or not."""

    paths: tuple[Path, ...]
    records: tuple[Record, ...]
    matrices: tuple[MachineView, ...]
    figures: tuple[FigureView, ...]
    tables: tuple[Path, ...] = ()  # Of claims that do not come with homenode.

    @cached_property
    def papers(self) -> list[JudgedPaper]:
        """What the records say of the papers that they are about."""
        return judged(self.records, self.tables)

    @property
    def study(self) -> str:
        """How the study was named on the command line."""
        return str(self.records[0]["study_file"])

    @property
    def name(self) -> str:
        """The study's own name."""
        return str(self.records[0]["study"])

    @property
    def machines(self) -> list[str]:
        """The names of the machines, each once."""
        machines = [v.machine for v in self.matrices] + [v.machine for v in self.figures]
        return list(dict.fromkeys(machine.name for machine in machines))

    @property
    def cases(self) -> int:
        """How many cases have a complete record."""
        counted = sum(len(view.cases) for view in self.matrices)
        ids = {str(r["case"]["id"]) for view in self.figures for r in view.records}
        return counted + len(ids)


def judged(found: Sequence[Record], tables: Sequence[Path] = ()) -> list[JudgedPaper]:
    """What records say of the papers that they are about and of these tables of claims; odd records
    end in what read() does."""
    return judge(papers_of([str(record["study"]) for record in found], tables), found)


def read(
    paths: Sequence[Path], only: Collection[str] = (), tables: Sequence[Path] = ()
) -> Contents:
    """Reads records, of these workloads `only` where some are named. Raises StudyError, and what
    odd records end in."""
    found = _chosen([record for path in paths for record in _some(path)], only)
    names = list(dict.fromkeys(map(_workload_of, found)))
    workloads = {name: _workload(paths, name) for name in names}
    plain = {name: w for name, w in workloads.items() if w is not None and not w.has_matrices}
    if plain and len(plain) == len(workloads):
        views = figures.build_all(found, plain)
        return Contents(tuple(paths), tuple(found), (), tuple(views), tuple(tables))
    if len(names) > 1:
        raise _several_pages(names, next(name for name in names if name not in plain))
    workload = next(iter(workloads.values()), None)
    machines = model.build(found, Words.of(workload) if workload else None)
    return Contents(tuple(paths), tuple(found), tuple(machines), (), tuple(tables))


def _workload_of(record: Record) -> str:
    return str(record["case"]["workload"])


def _chosen(found: list[Record], only: Collection[str]) -> list[Record]:
    names = list(dict.fromkeys(map(_workload_of, found)))
    if unknown := sorted(set(only) - set(names)):
        raise StudyError(
            f"no record is of the workload '{unknown[0]}'; there are: {', '.join(names)}",
            errors.USAGE,
        )
    return [record for record in found if _workload_of(record) in only] if only else found


def _several_pages(names: Sequence[str], own: str) -> StudyError:
    others = " ".join(f"--workload {name}" for name in names if name != own)
    return StudyError(
        f"the workload {own} has matrices of its own, and a page of its own; make one with "
        f"--workload {own} -o {own}.html and one of the others with {others}",
        errors.USAGE,
    )


def _some(path: Path) -> list[Record]:
    """Its records, of which there are some; of several, one without would be left out silently."""
    found = records.read(path)
    if not found:
        raise StudyError(f"{path} has no record; run its study first: homenode study FILE.toml")
    return found


def _workload(paths: Sequence[Path], name: str) -> Description | None:
    """What a workload says of itself: beside the records, else by the command here, else None."""
    for path in paths:
        if (kept := records.read_description(path, name)) is not None:
            return kept
    try:
        return describe(name)
    except StudyError:
        return None
