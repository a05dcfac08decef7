"""What the records of one or several folders hold for a reader: views, claims, and their workloads.

Everything that the verb writes (a page, JSON, CSV, Markdown) is made of this one value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
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
    matrices: tuple[MachineView, ...]
    figures: tuple[FigureView, ...]
    papers: tuple[JudgedPaper, ...]
    study: str  # As it was named on the command line.
    name: str  # Of the study.

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


def judged(paths: Sequence[Path]) -> tuple[JudgedPaper, ...]:
    """What all these records say of the papers that they are about. Raises as read() does."""
    return _judged([record for path in paths for record in _some(path)])


def _judged(found: Sequence[Record]) -> tuple[JudgedPaper, ...]:
    return tuple(judge(papers_of([str(record["study"]) for record in found]), found))


def read(paths: Sequence[Path]) -> Contents:
    """Reads and judges records. Raises StudyError, and what odd records end in."""
    found = [record for path in paths for record in _some(path)]
    names = list(dict.fromkeys(str(record["case"]["workload"]) for record in found))
    workloads = {name: _workload(paths, name) for name in names}
    papers = _judged(found)
    first = found[0]
    study, name = str(first["study_file"]), str(first["study"])
    plain = {name: w for name, w in workloads.items() if w is not None and not w.has_matrices}
    if plain and len(plain) == len(workloads):
        views = figures.build_all(found, plain)
        return Contents(tuple(paths), (), tuple(views), papers, study, name)
    if len(names) > 1:
        raise StudyError(
            f"the records belong to several workloads ({', '.join(names)}), one of which has "
            "matrices of its own; make one page for each",
            errors.USAGE,
        )
    workload = next(iter(workloads.values()), None)
    machines = model.build(found, Words.of(workload) if workload else None)
    return Contents(tuple(paths), tuple(machines), (), papers, study, name)


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
