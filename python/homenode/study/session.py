"""Runs the cases that have no complete record yet, one machine after the other.

A case that fails is recorded and the others go on.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from homenode.study.case_run import runs_of
from homenode.study.machine import LAB
from homenode.study.records import Record, RecordStore
from homenode.study.runner import Runner, RunnerFactory
from homenode.study.share import Observer, Share, Summary
from homenode.study.spec import Study, expand


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
    shares = []
    kept = []
    for name in study.machines:
        runner = runner_for(name)
        cases = expand(study, runner.machine.name, runner.machine.digest)
        runs = runs_of(cases, study.repetitions)
        left = [run for run in runs if run.key not in done]
        summary.cases += len(cases)
        summary.runs += len(runs)
        summary.already_done += len(runs) - len(left)
        shares.append((name, runner, left))
        own = [done[run.key] for run in runs if run.key in done]
        _note_kept(own, study, runner, observer)
        kept += own
    observer.planned([run for _, _, left in shares for run in left], kept)
    for name, runner, left in shares:
        guests = study.guests if study.guests and runner.machine.kind == LAB else runner.at_once
        more = [runner_for(name) for _ in range(min(guests, len(left)) - 1)]
        Share(study, left, store, observer, summary, now).run([runner, *more])
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
