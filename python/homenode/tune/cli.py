"""`homenode tune`: run what may be best in turn, and say what is."""

import argparse
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from homenode import errors
from homenode.errors import UserError
from homenode.study.command import find_command
from homenode.study.errors import INTERRUPTED
from homenode.tune.answer import Answer
from homenode.tune.candidate import Candidate
from homenode.tune.candidates import Allowed
from homenode.tune.errors import TuneError
from homenode.tune.journal import Journal
from homenode.tune.machine import digest, fingerprint, processor, read_machine
from homenode.tune.metric import Metric
from homenode.tune.options import parsed, parser
from homenode.tune.printing import show
from homenode.tune.progress import Progress, make_progress
from homenode.tune.race import Race, taking_part
from homenode.tune.running import HostRunner, Order, Runner
from homenode.tune.statistics import MEASURED, MODELLED
from homenode.tune.tuning import Tuning
from homenode.tune.verdict import verdict

__all__ = ["main", "parser"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the verb and returns its exit code."""
    options = parsed(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores the latter.
            signal.signal(number, _stop)
    try:
        return _tune(options)
    except UserError as error:
        print(f"homenode tune: {error}", file=sys.stderr)
        return error.exit_code


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """SIGTERM, or a closed terminal, is Ctrl-C: nothing goes on running, and the runs stay."""
    raise KeyboardInterrupt


def _order(options: argparse.Namespace) -> Order:
    return Order(
        tuple(options.program),
        Metric(options.metric, options.higher),
        options.load,
        options.ready,
        options.prepare,
        options.check,
        options.timeout,
    )


def _asked(options: argparse.Namespace, machine: dict[str, Any]) -> dict[str, Any]:
    """What makes runs comparable; the budget does not."""
    names = ("program", "metric", "higher", "load", "ready", "prepare", "check", "timeout")
    more = ("ignore_output", "keep_threads", "no_preload", "candidates", "roi", "source")
    asked = {name: getattr(options, name) for name in (*names, *more)}
    return asked | {"folder": _folder(), "machine": machine}


def _folder() -> str:
    try:
        return str(Path.cwd())
    except OSError as error:
        raise TuneError(
            f"cannot run in the current folder: {error.strerror}; change to one that exists"
        ) from error


def _found(program: str) -> None:
    if shutil.which(program) is None:
        raise TuneError(f"there is no program '{program}'; check its name and PATH", errors.FAILED)


def _tune(options: argparse.Namespace) -> int:
    command = find_command()
    _found(options.program[0])
    known = read_machine(command, options.machine)
    machine = fingerprint(known, options.machine or processor())
    asked = _asked(options, machine)
    name = f"tune-{Path(options.program[0]).name}-{digest(asked)}"
    folder = options.results or Path("results") / name
    with Journal(folder, asked, fresh=options.fresh) as journal:
        order = _order(options)
        runner = _runner(options, order, command, folder)
        clock = MODELLED if options.machine else MEASURED
        same = not (options.ignore_output or options.metric or options.load)
        progress, interrupted = make_progress(), False
        with ExitStack() as started:
            earlier = journal.candidates()
            if earlier is None:
                _start(started, runner, progress)
            chosen = earlier or _taking_part(options, known, journal, runner, progress)
            race = Race(chosen, order.metric, clock, options.margin / 100)
            tuning = Tuning(race, runner, journal, options.budget, progress, same)
            try:
                if not tuning.over:
                    if earlier is not None:
                        _start(started, runner, progress)
                    tuning.go()
            except KeyboardInterrupt:
                interrupted = True
        return _say(options, tuning, machine, journal.left_out(), interrupted=interrupted)


def _start(started: ExitStack, runner: Runner, progress: Progress) -> None:
    """An answer that is known already needs neither."""
    started.enter_context(runner)
    started.enter_context(progress)


def _taking_part(
    options: argparse.Namespace,
    known: dict[str, Any],
    journal: Journal,
    runner: Runner,
    progress: Progress,
) -> list[Candidate]:
    """The candidates that promise most; the journal keeps who takes part."""
    allowed = Allowed(threads=not options.keep_threads, preload=not options.no_preload)
    every = runner.look(known, allowed, journal.folder, progress.note)
    others = [one for one in every if one.options]
    chosen = taking_part(others, _most(options))
    if not chosen:
        raise TuneError("there is no placement to try; leave --no-preload out", errors.FAILED)
    names = {one.name for one in chosen}
    journal.begin(chosen, [one.name for one in others if one.name not in names])
    return chosen


def _most(options: argparse.Namespace) -> int:
    """Few runs can judge few placements: two rounds of all may take half of them."""
    most = int(options.candidates)
    if options.budget.runs is not None:
        most = min(most, max(1, options.budget.runs // 4 - 2))
    return most


def _runner(options: argparse.Namespace, order: Order, command: Path, folder: Path) -> Runner:
    if options.machine is None:
        return HostRunner(order, command, folder, options.sampling)
    from homenode.tune.lab_runner import LabRunner

    return LabRunner(order, command, options.machine, options.roi or "markers")


def _say(
    options: argparse.Namespace,
    tuning: Tuning,
    machine: dict[str, Any],
    left_out: Sequence[str],
    *,
    interrupted: bool,
) -> int:
    race = tuning.race
    values = race.as_it_is or tuning.warm_ups
    answer = Answer(
        options.program,
        machine,
        race,
        verdict(race),
        values,
        left_out,
        tuning.ran,
        tuning.spent_s,
        options.machine is not None,
        interrupted,
    )
    show(options, answer)
    if interrupted:
        with suppress(BrokenPipeError):
            print(
                f"homenode tune: stopped; {tuning.ran} runs are kept in {tuning.journal.folder}; "
                "run the same command again to resume",
                file=sys.stderr,
            )
        return INTERRUPTED
    return errors.DONE
