"""Runs one repetition of a case on a machine, and makes a record of it."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from homenode.matrix import AccessMatrix, total
from homenode.study import counts as plugin_counts
from homenode.study import program, records
from homenode.study.case import Case
from homenode.study.description import Description
from homenode.study.machine import Machine
from homenode.study.metrics import figures_of
from homenode.study.records import Record
from homenode.study.runner import Outcome, Runner, RunnerLostError
from homenode.study.spec import Study
from homenode.study.times import RunTime, measured_time, modelled_time

ERROR_TEXT_LIMIT = 500


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
