"""Asks the command about the values of a study that it alone can judge, before anything runs: those
of a workload's options and the options of `homenode run`, each by itself."""

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

from homenode.errors import DONE, USAGE
from homenode.study import program
from homenode.study.case import Case, Option
from homenode.study.errors import StudyError
from homenode.study.spec import Part, Study

Level = tuple[tuple[str, Option], ...]


def check_values(study: Study, homenode: Path) -> None:
    """Raises StudyError with what the command says of the first value that it cannot read."""
    for part in study.parts:
        for where, level in dict.fromkeys(_levels(part)):
            for words in _questions(part, level, str(homenode)):
                _ask(words, where)


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
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise StudyError(f"cannot ask {words[0]} about the {where}: {error}") from error
    if done.returncode != DONE:
        said = done.stderr.strip().splitlines()
        raise StudyError(f"the {where}: {said[0] if said else shlex.join(words)}", USAGE)
