"""Asks the command about the values of a study that it alone can judge, before anything runs: those
of a workload's options and the options of `homenode run`, each by itself. What the latter mean
hangs on the machine, so its own homenode is asked, too."""

import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from homenode.errors import DONE, USAGE
from homenode.study import program
from homenode.study.case import Case, Option
from homenode.study.case_run import Run
from homenode.study.errors import StudyError
from homenode.study.runner import Runner, RunnerLostError
from homenode.study.spec import Part, Study

Level = tuple[tuple[str, Option], ...]
TIMEOUT_S = 60.0


def check_values(study: Study, homenode: Path) -> None:
    """Raises StudyError with what the command says of the first value that it cannot read."""
    for part in study.parts:
        for where, level in dict.fromkeys(_levels(part)):
            for words in _questions(part, level, str(homenode)):
                _ask(words, where)


def check_placements(
    machines: Iterable[tuple[Runner, Sequence[Run]]], note: Callable[[str], None]
) -> None:
    """Raises StudyError with what a machine says of the first options of `homenode run` that it
    cannot set: a node or a CPU that it does not have, a wrong value. A machine with such options
    among its runs is started for them, which `note` is told."""
    for runner, runs in machines:
        placements = dict.fromkeys(str(run.case.option(program.RUN, "")) for run in runs)
        placements.pop("", None)
        if placements:
            note(f"asking {runner.machine.name} whether it can set what run says")
            _ask_machine(runner, placements)


def _ask_machine(runner: Runner, placements: Iterable[str]) -> None:
    name = runner.machine.name
    try:
        with runner:
            for placement in placements:
                words = [runner.program, "run", *shlex.split(placement), "--explain", "--", "true"]
                outcome = runner.run(words, TIMEOUT_S)
                if outcome.exit_code != DONE:
                    said = _said(outcome.stderr)
                    raise StudyError(f"run = {placement!r} on {name}: {said}", USAGE)
    except (RunnerLostError, TimeoutError) as error:
        raise StudyError(f"cannot ask {name} about the options of run: {error}") from error


def _levels(part: Part) -> Iterator[tuple[str, Level]]:
    """What stands in the file, and where; levels that set several options are taken as they are."""
    for option in part.fixed:
        yield f"fixed {option[0]}", (option,)
    for factor in part.factors:
        for level in factor.levels:
            yield f"factor {factor.name}", level


def _questions(part: Part, level: Level, homenode: str) -> Iterator[list[str]]:
    """Commands that read the options, and then explain themselves instead of running."""
    placed = dict(level).get(program.RUN)
    if placed is not None:
        yield [homenode, "run", *shlex.split(str(placed)), "--help"]
    own = tuple(pair for pair in level if pair[0] != program.RUN)
    if own and part.description.name != program.NAME:
        words = Case(part.description.name, "", "", own).command(homenode)
        yield [*words[:-1], "--describe"]  # In the place of --json.


def _ask(words: list[str], where: str) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise StudyError(f"cannot ask {words[0]} about the {where}: {error}") from error
    if done.returncode != DONE:
        raise StudyError(f"the {where}: {_said(done.stderr) or shlex.join(words)}", USAGE)


def _said(text: str) -> str:
    """The first line of what a command said."""
    return next(iter(text.strip().splitlines()), "")
