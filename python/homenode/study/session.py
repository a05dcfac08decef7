"""Runs the cases that have no complete record yet, one machine after the other.

A case that fails is recorded and the others go on.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from homenode.study import hints
from homenode.study.case import Case
from homenode.study.case_run import runs_of
from homenode.study.check import check_placements
from homenode.study.machine import LAB
from homenode.study.records import Record, RecordStore
from homenode.study.runner import RunnerFactory
from homenode.study.share import Observer, Share, Summary
from homenode.study.spec import Study, expand


def run_study(
    study: Study,
    runner_for: RunnerFactory,
    store: RecordStore,
    observer: Observer,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Summary:
    """Runs what is left of the study. Raises StudyError for a placement that a machine cannot set,
    before the first case, and when records cannot be written at all."""
    for workload in study.workloads.values():
        store.keep_description(workload)
    done = store.complete()
    summary = Summary()
    shares = []
    kept: list[Record] = []
    all_cases: list[Case] = []
    told: list[str] = []
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
        kept += own
        all_cases += cases
        told += hints.crowded(cases, runner.machine)
        told += hints.kept(own, study, runner.machine, runner.homenode_version)
    for text in [*told, *hints.left_over(list(done.values()), all_cases)]:
        observer.note(text)
    observer.planned([run for _, _, left in shares for run in left], kept)
    check_placements([(runner, left) for _, runner, left in shares], observer.note)
    for name, runner, left in shares:
        guests = study.guests if study.guests and runner.machine.kind == LAB else runner.at_once
        more = [runner_for(name) for _ in range(min(guests, len(left)) - 1)]
        Share(study, left, store, observer, summary, now).run([runner, *more])
    return summary
