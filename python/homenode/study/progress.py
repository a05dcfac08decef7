"""The progress line on standard error: moving on a terminal, one plain line per case elsewhere."""

import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import monotonic
from typing import Self, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from homenode.matrix import AccessMatrix, hottest_share, local_share
from homenode.study.case_run import Run
from homenode.study.metrics import Figure
from homenode.study.records import Record, is_complete, run_key
from homenode.study.time_left import TimeLeft
from homenode.study.times import RunTime

MS_PER_S = 1000
S_PER_MIN = 60
MIN_PER_H = 60


def outcome_text(record: Record) -> str:
    """What one record says, in a few words."""
    if record["error"] is not None or not is_complete(record):
        return f"failed: {record['error']}"
    if record.get("figures"):
        name, found = next(iter(record["figures"].items()))
        figure = Figure.from_json(found)
        return f"{name} {median(figure.values):.4g} {figure.unit} {figure.provenance}"
    op = str(record["case"]["options"].get("op", "read"))
    rows = AccessMatrix.from_json(record["matrix"]).of(op)
    text = f"{local_share(rows):.1%} local, hottest node {hottest_share(rows):.1%}"
    time = RunTime.from_json(record["time"])
    return text if time is None else f"{text}, {time.seconds * MS_PER_S:.4g} ms {time.provenance}"


def left_text(seconds: float) -> str:
    """How long something will still take, no finer than it can be known: "2 h 5 min", "40 s"."""
    if seconds < S_PER_MIN:
        return f"{seconds:.0f} s"
    minutes = round(seconds / S_PER_MIN)
    hours, rest = divmod(minutes, MIN_PER_H)
    return f"{hours} h {rest} min" if hours else f"{minutes} min"


def time_left(left: Sequence[Run], kept: Sequence[Record], now_s: float) -> TimeLeft:
    """Of these runs, by the records that are kept and those that come."""
    ran = [(run_key(record)[0], float(record["wall_s"])) for record in kept]
    return TimeLeft([run.case.id for run in left], ran, now_s)


class PlainProgress:
    """One line per event, for logs and pipes."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._time_left = TimeLeft([], [], clock())
        self._done = 0
        self._total = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def planned(self, left: Sequence[Run], kept: Sequence[Record]) -> None:
        """Says how much there is to do."""
        self._total, self._done = len(left) + len(kept), len(kept)
        self._time_left = time_left(left, kept, self._clock())
        already = f", {len(kept)} already done" if kept else ""
        self._line(f"{self._total} run{'' if self._total == 1 else 's'}{already}")

    def starting(self, machine: str) -> None:
        """Says which machine starts."""
        self._line(f"starting {machine}")

    def running(self, label: str) -> None:
        """Nothing: a case gets its line when it is done."""

    def finished(self, label: str, record: Record) -> None:
        """One line with what came out."""
        self._done += 1
        now = self._clock()
        self._time_left.finished(run_key(record)[0], record["wall_s"], now)
        seconds = self._time_left.seconds(now) if self._done < self._total else None
        ahead = "" if seconds is None else f"; {left_text(seconds)} left"
        self._line(f"[{self._done}/{self._total}] {label}: {outcome_text(record)}{ahead}")

    def note(self, text: str) -> None:
        """One line."""
        self._line(text)

    def _line(self, text: str) -> None:
        print(f"homenode study: {text}", file=self._stream, flush=True)


class LeftColumn(ProgressColumn):
    """The time that is left, which counts down between two cases."""

    def __init__(self) -> None:
        super().__init__()
        self.time = TimeLeft([], [], monotonic())

    def render(self, task: Task) -> Text:
        """Nothing before the first case has ended."""
        seconds = self.time.seconds(monotonic())
        return Text("" if seconds is None else f"{left_text(seconds)} left")


class MovingProgress:
    """A spinner, a bar and the running case; rich's own thread redraws them all the time."""

    def __init__(self, console: Console) -> None:
        self._left = LeftColumn()
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            self._left,
            console=console,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        self._task = self._progress.add_task("reading the study", total=None)
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def planned(self, left: Sequence[Run], kept: Sequence[Record]) -> None:
        """Sets the bar's length."""
        self._left.time = time_left(left, kept, monotonic())
        self._update(total=len(left) + len(kept), completed=len(kept))

    def starting(self, machine: str) -> None:
        """Says which machine starts."""
        self._update(description=f"starting {machine}")

    def running(self, label: str) -> None:
        """Shows the case that began last beside the spinner."""
        self._update(description=label)

    def finished(self, label: str, record: Record) -> None:
        """Leaves a line above the bar and moves it."""
        mark = "×" if record["error"] else "✓"
        self._progress.print(
            f"{mark} {label}: {outcome_text(record)} ({record['wall_s']:.1f} s)",
            markup=False,
            highlight=False,
        )
        self._left.time.finished(run_key(record)[0], record["wall_s"], monotonic())
        if self._task is not None:
            self._progress.advance(self._task)

    def note(self, text: str) -> None:
        """Leaves a line above the bar."""
        self._progress.print(text, markup=False, highlight=False)

    def _update(
        self,
        description: str | None = None,
        total: float | None = None,
        completed: float | None = None,
    ) -> None:
        if self._task is not None:
            self._progress.update(
                self._task, description=description, total=total, completed=completed
            )


def make_progress() -> PlainProgress | MovingProgress:
    """The moving line on a terminal, plain lines elsewhere."""
    console = Console(stderr=True)
    return MovingProgress(console) if console.is_terminal else PlainProgress()
