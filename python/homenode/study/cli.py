"""`homenode study`: parse, validate, run, say what came out."""

import argparse
import dataclasses
import functools
import json
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from homenode import errors
from homenode.arguments import Parser, at_least_one
from homenode.study import spec
from homenode.study.check import check_values
from homenode.study.command import find_command
from homenode.study.engines.table import engine_of
from homenode.study.errors import INTERRUPTED, StudyError
from homenode.study.fleet import elsewhere, print_cases, run_on
from homenode.study.progress import make_progress
from homenode.study.records import RecordStore
from homenode.study.runner import RunnerFactory
from homenode.study.runners import runner_for_machine
from homenode.study.session import run_study
from homenode.study.share import Observer, Summary
from homenode.study.spec import Study, expand

RESULT_SCHEMA = "homenode.study.result/1"
CASES_SCHEMA = "homenode.study.cases/1"

RunStudy = Callable[[RecordStore, Observer], Summary]


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    parser = Parser(
        prog="homenode study",
        description="Runs a declared experiment and writes one record per case. After a study "
        "was stopped or killed, the same command resumes it where it stopped.",
        epilog="Exit codes: 0 done, 1 failed (the other cases are kept), 2 bad usage, 3 not "
        "supported here, 130 stopped by Ctrl-C.",
    )
    parser.add_argument(
        "file", metavar="FILE.toml|NAME", help="the study: a file, or one that comes with homenode"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="the folder for the records (default: results/NAME)"
    )
    parser.add_argument(
        "--machine",
        metavar="NAME|FILE",
        action="append",
        help="run on this machine instead of the study's own; 'host' is the computer itself, and "
        "'node' too, but named by its hardware, so that like computers are one machine; may be "
        "repeated",
    )
    parser.add_argument(
        "--scale",
        metavar="N",
        type=at_least_one,
        help="divide caches and memory of machines in the lab by N, so that a small problem "
        "shows what a large one would (default: the study's own)",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="measure everything again; older records are renamed and kept",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="run the study's quick form: what its [quick] names, in minutes",
    )
    parser.add_argument(
        "--guests",
        metavar="N",
        type=at_least_one,
        help="run cases in N virtual machines of the lab at once, each bound to a CPU of this "
        "computer (default: one for each CPU, as far as memory is available)",
    )
    parser.add_argument(
        "--on",
        metavar="ENGINE",
        help="run the cases on other computers: dask://HOST:PORT (a scheduler of Dask), local:N "
        "(N processes of this computer, by Dask) or slurm (an array job)",
    )
    parser.add_argument(
        "--cases",
        metavar="ID:RUN,...",
        help="run only these cases, each by its id and the number of the repetition, and print "
        "their records instead of keeping them: what --on starts elsewhere",
    )
    parser.add_argument("--dry-run", action="store_true", help="list the cases and run nothing")
    parser.add_argument(
        "--json", action="store_true", help="print the result (or the cases) as JSON"
    )
    return parser


def main(arguments: Sequence[str] | None = None, runner_for: RunnerFactory | None = None) -> int:
    """Runs the verb and returns its exit code. `runner_for` replaces the real machines in tests."""
    options = parser().parse_args(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores the latter.
            signal.signal(number, _stop)
    try:
        named = f"{options.file} --quick" if options.quick else options.file
        study = spec.load(spec.find(options.file), quick=options.quick)
        study = dataclasses.replace(study, file=named)
        if options.machine:
            study = dataclasses.replace(study, machines=tuple(dict.fromkeys(options.machine)))
        if options.scale:
            study = dataclasses.replace(study, scale=options.scale)
        if options.guests:
            study = dataclasses.replace(study, guests=options.guests)
        make_runner = runner_for or functools.partial(
            runner_for_machine,
            time=study.time,
            scale=study.scale,
            roi=study.roi,
            huge_pages=study.huge_pages,
            node_memory_mib=study.node_memory_mib,
        )
        if options.cases:
            print_cases(study, make_runner, options.cases)
            return errors.DONE
        check_values(study, find_command())
        folder = options.out or Path("results") / study.name
        if options.dry_run:
            _list_cases(study, make_runner, as_json=options.json)
            return errors.DONE
        run: RunStudy = functools.partial(run_study, study, make_runner)
        if options.on:
            run = functools.partial(
                run_on, study, engine_of(options.on, folder), elsewhere(study, options)
            )
        return _run(run, folder, fresh=options.fresh, as_json=options.json)
    except StudyError as error:
        print(f"homenode study: {error}", file=sys.stderr)
        return error.exit_code


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """SIGTERM, or a closed terminal, is Ctrl-C: the machine is taken down, the records stay."""
    raise KeyboardInterrupt


def _run(run: RunStudy, folder: Path, *, fresh: bool, as_json: bool) -> int:
    with RecordStore(folder, fresh=fresh) as store:
        before = len(store.records)
        try:
            with make_progress() as progress:
                if store.repaired_bytes:
                    progress.note(
                        "the last record is incomplete, because the study was killed; "
                        "its case runs again"
                    )
                summary = run(store, progress)
        except KeyboardInterrupt:
            print(
                f"homenode study: stopped; {len(store.records) - before} new records are kept "
                f"in {store.path}; run the same command again to resume",
                file=sys.stderr,
            )
            return INTERRUPTED
        _say(summary, store.path, as_json=as_json)
    return errors.FAILED if summary.failed else errors.DONE


def _say(summary: Summary, path: Path, *, as_json: bool) -> None:
    if as_json:
        value: dict[str, Any] = {"schema": RESULT_SCHEMA, "records": str(path)}
        print(json.dumps(value | dataclasses.asdict(summary)))
        return
    if summary.failed:
        print(
            f"homenode study: {len(summary.failed)} of {summary.runs} runs failed "
            f"({summary.failed[0]}{', …' if len(summary.failed) > 1 else ''}); their errors are "
            f"in {path}; run the same command again to retry them",
            file=sys.stderr,
        )
    repeated = summary.runs // summary.cases if summary.cases else 1
    times = f" × {repeated} repetitions" if repeated > 1 else ""
    text = f"{summary.cases} cases{times}, {summary.ran} run now"
    if len(summary.failed) < summary.runs:  # Else there is nothing to make a page of.
        text += f"; next: homenode report {shlex.quote(str(path.parent))}"
    print(text)


def _list_cases(study: Study, runner_for: RunnerFactory, *, as_json: bool) -> None:
    cases = [
        (case, case.command(runner.program))
        for name in study.machines
        for runner in [runner_for(name)]
        for case in expand(study, runner.machine.name, runner.machine.digest)
    ]
    if as_json:
        listed = [case.to_json() | {"command": command} for case, command in cases]
        print(json.dumps({"schema": CASES_SCHEMA, "cases": listed}))
        return
    for case, command in cases:
        print(f"{case.id}  {case.machine}  {' '.join(command)}")
