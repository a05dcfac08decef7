"""One machine's share of a study: runs what is left on it, on one such machine or on several alike.

A machine that dies is started again.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from homenode.study import records
from homenode.study.case_run import Run, run_case
from homenode.study.errors import StudyError
from homenode.study.records import Record, RecordStore
from homenode.study.runner import Runner, RunnerLostError
from homenode.study.spec import Study

LOST_IN_A_ROW = 3


class Observer(Protocol):
    """Who is told how far the study is; draws the progress line."""

    def planned(self, left: Sequence[Run], kept: Sequence[Record]) -> None:
        """Called once, before anything runs; with the records that need no second run."""

    def starting(self, machine: str) -> None:
        """A machine is being started."""

    def running(self, label: str) -> None:
        """A case begins."""

    def finished(self, label: str, record: Record) -> None:
        """A case has its record."""

    def note(self, text: str) -> None:
        """Something that a person should know."""


@dataclass
class Summary:
    """What a study did: `runs` are cases times repetitions, and so are all counts but `cases`.

    `failed` holds the labels of the runs whose last record is an error.
    """

    cases: int = 0
    runs: int = 0
    already_done: int = 0
    ran: int = 0
    failed: list[str] = field(default_factory=list)


class Share:
    """The runs that are left on one machine, each taken and recorded once, by whichever runner is
    free."""

    def __init__(
        self,
        study: Study,
        left: Sequence[Run],
        store: RecordStore,
        observer: Observer,
        summary: Summary,
        now: Callable[[], datetime],
    ) -> None:
        self._study = study
        self._left = list(left)
        self._store = store
        self._observer = observer
        self._summary = summary
        self._now = now
        self._stopped = False
        self._lock = threading.Lock()  # Of all above.

    def run(self, runners: Sequence[Runner]) -> None:
        """Runs all on these, side by side, each bound to a CPU if they are several.

        What ends one early ends all. Raises StudyError when a machine is lost again and again, or
        records cannot be written.
        """
        if len(runners) == 1:
            self._serve(runners[0])
            return
        cpus = sorted(os.sched_getaffinity(0))
        with ThreadPoolExecutor(len(runners), "homenode-study") as threads:
            served = [
                threads.submit(self._serve_bound, runner, cpus[i % len(cpus)])
                for i, runner in enumerate(runners)
            ]
            try:
                for each in as_completed(served):
                    each.result()
            except BaseException:
                with self._lock:
                    self._stopped = True
                for runner in runners:
                    runner.interrupt()
                raise

    def _serve_bound(self, runner: Runner, cpu: int) -> None:
        """An emulated machine whose CPUs take turns on one CPU needs no messages between CPUs of
        the host to do so; on them, half the time of one with many threads went there."""
        os.sched_setaffinity(0, {cpu})
        self._serve(runner)

    def _serve(self, runner: Runner) -> None:
        """Starts the machine again after each loss, until nothing is left or it is lost too
        often."""
        name = runner.machine.name
        lost = 0
        while run := self._take():
            self._tell(self._observer.starting, name)
            served = 0
            try:
                with runner:
                    while run:
                        loss = self._run(run, runner)
                        run = None
                        served += 1
                        if loss is not None:
                            raise loss
                        run = self._take()
            except RunnerLostError as error:
                if run is not None:
                    self._give_back(run)
                lost = 1 if served > 1 else lost + 1
                self._tell(self._observer.note, f"{name} was lost: {error}")
                if lost >= LOST_IN_A_ROW and self._left:
                    raise StudyError(
                        f"{name} was lost {lost} times in a row ({error}); {len(self._left)} cases "
                        f"did not run; the finished ones are kept in {self._store.path}"
                    ) from error

    def _take(self) -> Run | None:
        with self._lock:
            return self._left.pop(0) if self._left and not self._stopped else None

    def _give_back(self, run: Run) -> None:
        with self._lock:
            self._left.insert(0, run)

    def _tell(self, what: Callable[[str], None], text: str) -> None:
        with self._lock:
            if not self._stopped:
                what(text)

    def _run(self, run: Run, runner: Runner) -> RunnerLostError | None:
        """Runs and records one; returns how its machine was lost, if it was."""
        label = run.label(self._study)
        self._tell(self._observer.running, label)
        record, loss = run_case(self._study, run, runner, self._now)
        with self._lock:
            if self._stopped:
                return loss
            self._store.append(record)
            self._summary.ran += 1
            if not records.is_complete(record):
                self._summary.failed.append(label)
            self._observer.finished(label, record)
        return loss
