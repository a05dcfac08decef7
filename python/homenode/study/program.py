"""A study of any program: a command line in the place of a workload of `bench`. Pure.

What varies stands in braces in the command line, as in ["./solver", "--size", "{size}"]. Two
options mean something of their own: `run` holds options of `homenode run`, which a workload of
`bench` can have, too, and `threads` sets OMP_NUM_THREADS where the command line does not name it.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from homenode.study.description import SCHEMA as DESCRIPTION_SCHEMA
from homenode.study.description import Description
from homenode.study.errors import StudyError
from homenode.study.runner import Roi

Option = str | int | float
NAME = "command"
SCHEMA = "homenode.command/1"
RUN = "run"
THREADS = "threads"
TIME = "time"
PLACEHOLDER = re.compile(r"\{(\w+)\}")
FIGURE_KEYS = {"match", "unit", "more_is_better", "timed", "meaning"}


@dataclass(frozen=True)
class Figure:
    """A number that the program prints: the first group of the last match in its output."""

    name: str
    match: re.Pattern[str]
    unit: str
    more_is_better: bool
    timed: bool
    meaning: str


def roi_in(document: Mapping[str, Any]) -> Roi:
    """What the lab counts: of a program of one's own all, from its start to its end, if not told
    otherwise. Raises StudyError."""
    value = document.get("roi", "all" if NAME in document else "markers")
    if value == "all":
        return "all"
    if value == "markers":
        return "markers"
    raise StudyError('roi must be "all" or "markers"')


def figures_in(table: Mapping[str, Any]) -> tuple[Figure, ...]:
    """The figures of [figures]. Raises StudyError that names the first mistake."""
    return tuple(_figure(name, value) for name, value in table.items())


def _figure(name: str, value: Any) -> Figure:
    if not isinstance(value, Mapping) or not set(value) <= FIGURE_KEYS or name == TIME:
        keys = ", ".join(sorted(FIGURE_KEYS))
        raise StudyError(f"[figures.{name}] must be a table of {keys}, and not be called {TIME}")
    try:
        match = re.compile(str(value["match"]), re.MULTILINE)
    except (KeyError, re.error) as error:
        raise StudyError(f"[figures.{name}] needs match, a regular expression: {error}") from error
    if match.groups < 1:
        raise StudyError(f"[figures.{name}] match must have a group, as in 'rate: ([0-9.]+)'")
    return Figure(
        name,
        match,
        str(value.get("unit", "")),
        bool(value.get("more_is_better", True)),
        bool(value.get("timed", True)),
        str(value.get("meaning", "")),
    )


def describe(options: Mapping[str, Any], figures: tuple[Figure, ...]) -> Description:
    """The program as a workload: options of the names that are fixed or vary, time and figures."""
    metrics = [_metric(TIME, "s", "How long the run took.", "/runs/*/seconds", False, True)]
    metrics += [
        _metric(f.name, f.unit, f.meaning, f"/runs/*/figures/{f.name}", f.more_is_better, f.timed)
        for f in figures
    ]
    return Description.from_json(
        {
            "schema": DESCRIPTION_SCHEMA,
            "name": NAME,
            "summary": "a program of one's own",
            "memory": "its own",
            "use": "as it does",
            "source": "",
            "result_schema": SCHEMA,
            "placement": RUN if RUN in options else None,
            "has_matrices": False,
            "parameters": [_parameter(name, value) for name, value in options.items()],
            "patterns": [],
            "metrics": metrics,
        }
    )


def _metric(
    name: str, unit: str, meaning: str, path: str, more_is_better: bool, timed: bool
) -> dict[str, Any]:
    return {
        "name": name,
        "unit": unit,
        "meaning": meaning,
        "path": path,
        "more_is_better": more_is_better,
        "operations": None,
        "timed": timed,
    }


def placed_from_outside(workload: Description) -> Description:
    """The workload with the option `run`, which then places its memory."""
    parameters = [*workload.document["parameters"], _parameter(RUN, "")]
    return Description.from_json({**workload.document, "parameters": parameters, "placement": RUN})


def _parameter(name: str, value: object) -> dict[str, Any]:
    kinds = {bool: "flag", int: "whole", float: "real"}
    return {
        "name": name,
        "kind": kinds.get(type(value), "text"),
        "default": None,
        "meaning": "Options of homenode run." if name == RUN else "",
        "least": None,
        "most": None,
        "choices": [],
    }


def check(words: Any, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The command line, if each name in it is an option and each option has a place. Raises
    StudyError."""
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise StudyError('command must be a list of words, such as ["./solver", "{size}"]')
    named = {name for word in words for name in PLACEHOLDER.findall(word)}
    if unknown := sorted(named - set(options)):
        raise StudyError(f"command names '{{{unknown[0]}}}', which is neither fixed nor a factor")
    if unused := sorted(set(options) - named - {RUN, THREADS}):
        raise StudyError(f"'{unused[0]}' has no place in command; write it as '{{{unused[0]}}}'")
    return tuple(words)


def arguments(options: Mapping[str, Option]) -> list[str]:
    """The words after homenode that run a case of these options."""
    words = shlex.split(str(options[NAME]))
    named = {name for word in words for name in PLACEHOLDER.findall(word)}
    filled = [PLACEHOLDER.sub(lambda found: str(options[found[1]]), word) for word in words]
    if THREADS in options and THREADS not in named:
        filled = ["env", f"OMP_NUM_THREADS={options[THREADS]}", *filled]
    return ["run", *shlex.split(str(options.get(RUN, ""))), "--", *filled]


def document(figures: tuple[Figure, ...], printed: str, seconds: float) -> dict[str, Any]:
    """What a run came to, as the JSON of a workload. Raises ValueError for a figure that is
    missing."""
    values = {}
    for figure in figures:
        found = figure.match.findall(printed)
        if not found:
            raise ValueError(f"its output has no figure '{figure.name}' ({figure.match.pattern})")
        last = found[-1]
        values[figure.name] = float(last if isinstance(last, str) else last[0])
    return {
        "schema": SCHEMA,
        "seconds": {"wall": seconds},
        "runs": [{"seconds": seconds, "figures": values}],
    }
