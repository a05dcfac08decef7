"""Runs the cases that have no complete record yet, one machine after the other.

A case that fails is recorded and the others go on; a machine that dies is started again.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from homenode.matrix import AccessMatrix, total
from homenode.study import counts as plugin_counts
from homenode.study import records
from homenode.study.case import Case
from homenode.study.errors import StudyError
from homenode.study.records import Record, RecordStore
from homenode.study.runner import Outcome, Runner, RunnerFactory, RunnerLostError
from homenode.study.spec import Study, expand

BENCH_SCHEMA = "homenode.bench.map/1"
LOST_IN_A_ROW = 3
ERROR_TEXT_LIMIT = 500


class Observer(Protocol):
    """Who is told how far the study is; draws the progress line."""

    def planned(self, total_cases: int, already_done: int) -> None:
        """Called once, before anything runs."""

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
    """What a study did. `failed` holds the labels of the cases whose last record is an error."""

    cases: int = 0
    already_done: int = 0
    ran: int = 0
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Part:
    """One machine's share of the study: what is left to run on it."""

    runner: Runner
    left: list[Case]


def run_study(
    study: Study,
    runner_for: RunnerFactory,
    store: RecordStore,
    observer: Observer,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Summary:
    """Runs what is left of the study. Raises StudyError when records cannot be written at all."""
    done = store.complete()
    summary = Summary()
    parts = []
    for name in study.machines:
        runner = runner_for(name)
        cases = expand(study, runner.machine.name, runner.machine.digest)
        left = [case for case in cases if case.id not in done]
        summary.cases += len(cases)
        summary.already_done += len(cases) - len(left)
        parts.append(_Part(runner, left))
        _note_other_versions(cases, done, runner, observer)
    observer.planned(summary.cases, summary.already_done)
    for part in parts:
        if part.left:
            _run_part(study, part, store, observer, summary, now)
    return summary


def _note_other_versions(
    cases: Sequence[Case], done: dict[str, Record], runner: Runner, observer: Observer
) -> None:
    present = runner.homenode_version
    older = [c for c in cases if c.id in done and done[c.id]["versions"]["homenode"] != present]
    if older:
        observer.note(
            f"{len(older)} kept records were made by another version of homenode than this one "
            f"({present}); --fresh measures everything again"
        )


def _run_part(
    study: Study,
    part: _Part,
    store: RecordStore,
    observer: Observer,
    summary: Summary,
    now: Callable[[], datetime],
) -> None:
    """Starts the machine again after each loss, until nothing is left or it is lost too often."""
    left = list(part.left)
    name = part.runner.machine.name
    lost = 0
    while left:
        observer.starting(name)
        before = len(left)
        try:
            with part.runner as runner:
                _run_cases(study, left, runner, store, observer, summary, now)
        except RunnerLostError as error:
            lost = 1 if before - len(left) > 1 else lost + 1
            observer.note(f"{name} was lost: {error}")
            if lost >= LOST_IN_A_ROW and left:
                raise StudyError(
                    f"{name} was lost {lost} times in a row ({error}); {len(left)} cases were not "
                    f"tried; what was done is kept in {store.path}"
                ) from error


def _run_cases(
    study: Study,
    left: list[Case],
    runner: Runner,
    store: RecordStore,
    observer: Observer,
    summary: Summary,
    now: Callable[[], datetime],
) -> None:
    """Runs and removes the cases from `left`. Raises RunnerLostError after recording that case."""
    while left:
        case = left.pop(0)
        label = case.label(study.varying)
        observer.running(label)
        record, loss = _run_case(study, case, runner, now)
        store.append(record)
        summary.ran += 1
        if not records.is_complete(record):
            summary.failed.append(label)
        observer.finished(label, record)
        if loss is not None:
            raise loss


def _run_case(
    study: Study, case: Case, runner: Runner, now: Callable[[], datetime]
) -> tuple[Record, RunnerLostError | None]:
    command = runner.command(case.arguments())
    started = now()
    clock = time.monotonic()
    outcome = Outcome(-1, "", "", None)
    error: str | None = None
    loss: RunnerLostError | None = None
    try:
        outcome = runner.run(command, study.timeout_s)
    except TimeoutError:
        error = f"did not end within {study.timeout_s:g} s; raise timeout_s in the study"
    except RunnerLostError as lost:
        error = f"the machine was lost: {lost}"
        loss = lost
    record: dict[str, Any] = {
        "schema": records.SCHEMA,
        "study": study.name,
        "study_file": study.file,
        "title": study.title,
        "case": case.to_json(),
        "machine": runner.machine.to_json(),
        "seed": case.option("seed", 0),
        "command": command,
        "versions": dict(runner.versions()),
        "started": started.isoformat(timespec="seconds"),
        "wall_s": round(time.monotonic() - clock, 3),
        "exit_code": outcome.exit_code,
        "error": error,
        "bench": None,
        "counts": list(outcome.counts) if outcome.counts is not None else None,
        "matrix": None,
    }
    if error is None:
        _read_outcome(record, outcome, case, runner)
    return record, loss


def _read_outcome(record: dict[str, Any], outcome: Outcome, case: Case, runner: Runner) -> None:
    """Fills in bench, matrix and error from what the command left."""
    if outcome.exit_code != 0:
        text = outcome.stderr.strip().splitlines()
        said = text[-1][:ERROR_TEXT_LIMIT] if text else "it said nothing"
        record["error"] = f"exit code {outcome.exit_code}: {said}"
        return
    try:
        bench = json.loads(outcome.stdout)
        if bench.get("schema") != BENCH_SCHEMA:
            raise ValueError(f"schema {bench.get('schema')!r}, not {BENCH_SCHEMA}")
        record["bench"] = bench
        if outcome.counts is None:
            if bench.get("not_audited"):
                raise ValueError(str(bench["not_audited"]))
            matrix = AccessMatrix.from_json(bench["matrices"])
        else:
            matrix = plugin_counts.node_matrix(outcome.counts, runner.machine)
        if total(matrix.of(str(case.option("op", "read")))) == 0:
            raise ValueError("not one access was counted; was the lab's plugin loaded?")
        record["matrix"] = matrix.to_json()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        record["error"] = f"cannot use what the command printed or counted: {error}"
