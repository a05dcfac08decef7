"""Runs the cases that have no complete record yet, one machine after the other.

A case that fails is recorded and the others go on; a machine that dies is started again.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from homenode.matrix import AccessMatrix, total
from homenode.study import counts as plugin_counts
from homenode.study import program, records
from homenode.study.case import Case
from homenode.study.description import Description
from homenode.study.errors import StudyError
from homenode.study.machine import LAB, Machine
from homenode.study.metrics import figures_of
from homenode.study.records import Record, RecordStore
from homenode.study.runner import Outcome, Runner, RunnerFactory, RunnerLostError
from homenode.study.spec import Study, expand
from homenode.study.times import RunTime, measured_time, modelled_time

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
    """What a study did: `runs` are cases times repetitions, and so are all counts but `cases`.

    `failed` holds the labels of the runs whose last record is an error.
    """

    cases: int = 0
    runs: int = 0
    already_done: int = 0
    ran: int = 0
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """One repetition of a case, counted from 1."""

    case: Case
    repetition: int

    @property
    def key(self) -> tuple[str, int]:
        """As records.run_key of its record."""
        return self.case.id, self.repetition

    def label(self, study: Study) -> str:
        """A short name for people."""
        label = study.label(self.case)
        return label if study.repetitions == 1 else f"{label} · run {self.repetition}"


def runs_of(cases: Sequence[Case], repetitions: int) -> list[Run]:
    """All cases once, then all again: what changes with time of day touches each alike."""
    return [Run(case, n + 1) for n in range(repetitions) for case in cases]


@dataclass(frozen=True)
class _Part:
    """One machine's share of the study: what is left to run on it."""

    runner: Runner
    left: list[Run]


def run_study(
    study: Study,
    runner_for: RunnerFactory,
    store: RecordStore,
    observer: Observer,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Summary:
    """Runs what is left of the study. Raises StudyError when records cannot be written at all."""
    for workload in study.workloads.values():
        store.keep_description(workload)
    done = store.complete()
    summary = Summary()
    parts = []
    for name in study.machines:
        runner = runner_for(name)
        cases = expand(study, runner.machine.name, runner.machine.digest)
        runs = runs_of(cases, study.repetitions)
        left = [run for run in runs if run.key not in done]
        summary.cases += len(cases)
        summary.runs += len(runs)
        summary.already_done += len(runs) - len(left)
        parts.append(_Part(runner, left))
        _note_kept([done[run.key] for run in runs if run.key in done], study, runner, observer)
    observer.planned(summary.runs, summary.already_done)
    for part in parts:
        if part.left:
            _run_part(study, part, store, observer, summary, now)
    return summary


def _note_kept(kept: Sequence[Record], study: Study, runner: Runner, observer: Observer) -> None:
    """Says what a person may not expect of the records that are kept from earlier."""
    present = runner.homenode_version
    older = [record for record in kept if record["versions"]["homenode"] != present]
    untimed = [record for record in kept if record.get("time") is None and record["matrix"]]
    if untimed and study.time is not False and runner.machine.kind == LAB:
        observer.note(
            f"{len(untimed)} kept records have no modelled time; --fresh measures everything again"
        )
    if older:
        observer.note(
            f"{len(older)} kept records come from another version of homenode than this one "
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
                    f"{name} was lost {lost} times in a row ({error}); {len(left)} cases did "
                    f"not run; the finished ones are kept in {store.path}"
                ) from error


def _run_cases(
    study: Study,
    left: list[Run],
    runner: Runner,
    store: RecordStore,
    observer: Observer,
    summary: Summary,
    now: Callable[[], datetime],
) -> None:
    """Runs and removes the cases from `left`. Raises RunnerLostError after recording that case."""
    while left:
        run = left.pop(0)
        label = run.label(study)
        observer.running(label)
        record, loss = run_case(study, run, runner, now)
        store.append(record)
        summary.ran += 1
        if not records.is_complete(record):
            summary.failed.append(label)
        observer.finished(label, record)
        if loss is not None:
            raise loss


def run_case(
    study: Study, run: Run, runner: Runner, now: Callable[[], datetime]
) -> tuple[Record, RunnerLostError | None]:
    """Runs it on a machine that has been entered: its record, and whether the machine was lost."""
    case = run.case
    command = case.command(runner.program)
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
        "repetition": run.repetition,
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
        "time": None,
        "figures": None,
    }
    if error is None:
        _read_outcome(record, outcome, study, runner)
    return record, loss


def _read_outcome(record: dict[str, Any], outcome: Outcome, study: Study, runner: Runner) -> None:
    """Fills in bench, matrix, time, figures and error from what the command left."""
    if outcome.exit_code != 0:
        text = outcome.stderr.strip().splitlines()
        said = text[-1][:ERROR_TEXT_LIMIT] if text else "no message"
        record["error"] = f"exit code {outcome.exit_code}: {said}"
        return
    workload = study.workloads[record["case"]["workload"]]
    try:
        if workload.name == program.NAME:
            bench = program.document(study.figures, outcome.stdout, record["wall_s"])
        else:
            bench = json.loads(outcome.stdout)
        if bench.get("schema") != workload.result_schema:
            raise ValueError(f"schema {bench.get('schema')!r}, not {workload.result_schema}")
        record["bench"] = bench
        time = _time(outcome, bench, runner.machine)
        matrix = _matrix(record, outcome, workload, runner.machine)
        if not workload.has_matrices:
            found = figures_of(workload, bench, outcome.counts, real_clock=outcome.real_clock)
            record["figures"] = {name: figure.to_json() for name, figure in found.items()}
        record["time"] = time and time.to_json()
        record["matrix"] = matrix and matrix.to_json()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        record["error"] = f"cannot use what the command printed or counted: {error}"


def _matrix(
    record: Mapping[str, Any], outcome: Outcome, workload: Description, machine: Machine
) -> AccessMatrix | None:
    """What the lab counted or, where nothing counts, what the program computed if it does.

    None for a workload without matrices of its own whose run has no region of interest.
    """
    if not workload.has_matrices:
        return plugin_counts.node_matrix(outcome.counts, machine) if outcome.counts else None
    bench = record["bench"]
    if outcome.counts is not None:
        matrix = plugin_counts.node_matrix(outcome.counts, machine)
    elif bench.get("not_audited"):
        raise ValueError(str(bench["not_audited"]))
    else:
        matrix = AccessMatrix.from_json(bench["matrices"])
    if total(matrix.of(str(record["case"]["options"].get("op", "read")))) == 0:
        raise ValueError("no access was counted; check that the lab's plugin is loaded")
    return matrix


def _time(outcome: Outcome, bench: Mapping[str, Any], machine: Machine) -> RunTime | None:
    """Modelled where the plugin counted; else measured, but only by a real machine's clock."""
    if outcome.counts is not None:
        return modelled_time(outcome.counts, machine)
    return measured_time(bench) if outcome.real_clock else None
