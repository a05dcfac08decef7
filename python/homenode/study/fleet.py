"""Runs a study's cases on other computers by an engine, and keeps their records in the one store.

Each case is a command line of its own, `homenode study FILE --cases ID:RUN`. This process alone
writes records, each as it comes, so none is lost or doubled however workers die.
"""

import argparse
import json
import re
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from homenode.errors import FAILED, USAGE
from homenode.study import records, spec
from homenode.study.case import Case
from homenode.study.case_run import Run, run_case, runs_of
from homenode.study.engines.engine import Ended, Engine
from homenode.study.errors import StudyError
from homenode.study.machine import HOST
from homenode.study.records import Record, RecordStore
from homenode.study.runner import RunnerFactory, RunnerLostError
from homenode.study.share import LOST_IN_A_ROW, Observer, Summary
from homenode.study.spec import Study, expand

WANTED = re.compile(r"([0-9a-f]+):([1-9][0-9]*)")


def elsewhere(study: Study, options: argparse.Namespace) -> list[str]:
    """The arguments of `homenode` for this study on another computer, which sees the same files.

    Raises StudyError (usage) for what cannot run elsewhere.
    """
    if HOST in study.machines:
        raise StudyError(
            "with --on, the machine 'host' would be another computer each time; use --machine "
            "node, which tells computers apart by their hardware",
            USAGE,
        )
    file = spec.find(options.file)
    words = ["study", str(file.absolute()) if file.exists() else options.file]
    words += ["--quick"] if options.quick else []
    words += [f"--scale={study.scale}"]
    for name in study.machines:
        path = Path(name)
        words.append(f"--machine={path.absolute() if path.is_file() else name}")
    return words


def run_on(
    study: Study, engine: Engine, words: Sequence[str], store: RecordStore, observer: Observer
) -> Summary:
    """Runs what is left of the study. `words`: as elsewhere(). Raises StudyError where cases are
    lost again and again; finished ones are in the store."""
    for workload in study.workloads.values():
        store.keep_description(workload)
    observer.starting("the engine")
    cases = _ask_for_cases(engine, words)
    runs = runs_of(cases, study.repetitions)
    done = store.complete()
    left = [run for run in runs if run.key not in done]
    summary = Summary(len(cases), len(runs), len(runs) - len(left))
    observer.planned(left, [done[run.key] for run in runs if run.key in done])
    rounds_without_record = 0
    while left:
        lost, why = _run_round(study, engine, words, left, store, observer, summary)
        rounds_without_record = 0 if len(lost) < len(left) else rounds_without_record + 1
        left = lost
        if left:
            observer.note(f"{len(left)} cases were lost: {why}")
        if rounds_without_record == LOST_IN_A_ROW:
            raise StudyError(
                f"no record came back {LOST_IN_A_ROW} times in a row ({why}); {len(left)} cases "
                f"did not run; the finished ones are kept in {store.path}"
            )
    return summary


def _ask_for_cases(engine: Engine, words: Sequence[str]) -> list[Case]:
    """What a computer of the engine takes the study's cases to be: its machine may not be ours."""
    with closing(engine.run([[*words, "--dry-run", "--json"]])) as ends:
        end = next(ends)
    try:
        return [Case.from_json(case) for case in json.loads(end.stdout)["cases"]]
    except (ValueError, KeyError, TypeError) as error:
        raise StudyError(
            f"the engine's computer cannot list the cases: {_last_line(end)}",
            end.exit_code or FAILED,
        ) from error


def _run_round(
    study: Study,
    engine: Engine,
    words: Sequence[str],
    runs: Sequence[Run],
    store: RecordStore,
    observer: Observer,
    summary: Summary,
) -> tuple[list[Run], str]:
    """Runs each once; returns those that left no record, and why one of them did not."""
    why = ""
    lost = []
    commands = [[*words, f"--cases={run.case.id}:{run.repetition}"] for run in runs]
    with closing(engine.run(commands)) as ends:
        for end in ends:
            run = runs[end.index]
            record = _record_of(run, end)
            if record is None:
                lost.append(run)
                why = _last_line(end)
                continue
            record = {**record, "study_file": study.file}  # As named here, not by its full path.
            store.append(record)
            summary.ran += 1
            if not records.is_complete(record):
                summary.failed.append(run.label(study))
            observer.finished(run.label(study), record)
    return lost, why


def _record_of(run: Run, end: Ended) -> Record | None:
    try:
        found, _ = records.parse_lines(end.stdout.encode(), "what the command printed")
    except StudyError:
        return None
    return found[0] if len(found) == 1 and records.run_key(found[0]) == run.key else None


def _last_line(end: Ended) -> str:
    text = end.stderr.strip().splitlines()
    return text[-1] if text else f"exit code {end.exit_code} and no message"


def print_cases(study: Study, runner_for: RunnerFactory, wanted: str) -> None:
    """Runs the cases of a list of ID:RUN here and prints a record for each. Raises StudyError."""
    keys = []
    for text in wanted.split(","):
        match = WANTED.fullmatch(text)
        if match is None:
            raise StudyError(f"--cases takes ID:RUN, such as 0c1f2e3d4b5a:1, not '{text}'", USAGE)
        keys.append((match[1], int(match[2])))
    for name in study.machines:
        runner = runner_for(name)
        cases = expand(study, runner.machine.name, runner.machine.digest)
        runs = [run for run in runs_of(cases, study.repetitions) if run.key in keys]
        for run in runs:
            keys.remove(run.key)
            try:
                with runner:
                    record, _ = run_case(study, run, runner, lambda: datetime.now(UTC))
            except RunnerLostError as error:
                raise StudyError(f"{name} was lost: {error}") from error
            print(json.dumps(record, separators=(",", ":"), ensure_ascii=False), flush=True)
    if keys:
        raise StudyError(
            f"this computer has no case {keys[0][0]} of the study; its machine is another than "
            "where the case was listed, or the study has changed"
        )
