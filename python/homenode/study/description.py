"""What a workload says of itself: what can be set, who uses what, what it measures.

The command is asked (`homenode bench NAME --describe --json`); a study keeps the answer beside its
records, so that a report can name things without the command.
"""

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from homenode.errors import USAGE
from homenode.study.command import find_command
from homenode.study.errors import StudyError

SCHEMA = "homenode.bench.describe/1"
NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
FLAT = "flat"
DIAGONAL = "diagonal"


@dataclass(frozen=True)
class Choice:
    """A value that a parameter can have."""

    name: str
    title: str
    meaning: str


@dataclass(frozen=True)
class Parameter:
    """One thing that can be set. `kind`: whole, real, size, choice, text or flag."""

    name: str
    kind: str
    standard: str | None  # The default; None where the machine decides it.
    meaning: str
    least: float | None
    most: float | None
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Pattern:
    """Who uses what. `goal` is the matrix of its best placement: FLAT or DIAGONAL."""

    name: str
    title: str
    meaning: str
    goal: str


@dataclass(frozen=True)
class Metric:
    """A figure of each run, found in the workload's JSON by `path`: keys, and * for list elements.

    `operations`, where there is one, is the path of a number of operations; the figure is 1e6 of
    them a second. `timed`: the figure hangs on the clock of whoever ran it.
    """

    name: str
    unit: str
    meaning: str
    path: str
    more_is_better: bool
    operations: str | None
    timed: bool


@dataclass(frozen=True)
class Description:
    """A workload. `placement` names the parameter that places its memory, None without one."""

    name: str
    summary: str
    source: str
    result_schema: str
    placement: str | None
    has_matrices: bool
    parameters: Mapping[str, Parameter]
    patterns: Mapping[str, Pattern]
    metrics: tuple[Metric, ...]
    document: Mapping[str, Any]  # What the command printed.

    def choices(self, parameter: str) -> tuple[Choice, ...]:
        """What a parameter can be; nothing where there is no such parameter."""
        found = self.parameters.get(parameter)
        return found.choices if found else ()

    def standard(self, parameter: str) -> str:
        """A parameter's default, "" where it has none or is not known."""
        found = self.parameters.get(parameter)
        return (found.standard if found else None) or ""

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Description":
        """What the command printed; raises KeyError, TypeError or ValueError when it is not one."""
        if value.get("schema") != SCHEMA:
            raise ValueError(f"schema {value.get('schema')!r}, not {SCHEMA}")
        return Description(
            name=str(value["name"]),
            summary=str(value["summary"]),
            source=str(value["source"]),
            result_schema=str(value["result_schema"]),
            placement=value["placement"],
            has_matrices=bool(value["has_matrices"]),
            parameters={str(p["name"]): _parameter(p) for p in value["parameters"]},
            patterns={
                str(p["name"]): Pattern(p["name"], p["title"], p["meaning"], p["goal"])
                for p in value["patterns"]
            },
            metrics=tuple(_metric(m) for m in value["metrics"]),
            document=value,
        )


def _parameter(value: Mapping[str, Any]) -> Parameter:
    return Parameter(
        name=str(value["name"]),
        kind=str(value["kind"]),
        standard=value["default"],
        meaning=str(value["meaning"]),
        least=value["least"],
        most=value["most"],
        choices=tuple(Choice(c["name"], c["title"], c["meaning"]) for c in value["choices"]),
    )


def _metric(value: Mapping[str, Any]) -> Metric:
    return Metric(
        name=str(value["name"]),
        unit=str(value["unit"]),
        meaning=str(value["meaning"]),
        path=str(value["path"]),
        more_is_better=bool(value["more_is_better"]),
        operations=value["operations"],
        timed=bool(value["timed"]),
    )


def describe(workload: str) -> Description:
    """Asks the command, once for each of its builds. Raises StudyError for no such workload."""
    command = find_command()
    return _ask(command, command.stat().st_mtime_ns, workload)


@lru_cache
def _ask(command: Path, _built: int, workload: str) -> Description:
    words = [str(command), "bench", workload, "--describe", "--json"]
    if not NAME.fullmatch(workload):
        raise StudyError(
            f"there is no workload '{workload}'; 'homenode bench --list' names them", USAGE
        )
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise StudyError(
            f"cannot get the description of {workload} from {command}: {error}"
        ) from error
    if done.returncode == USAGE:
        raise StudyError(f"the workload '{workload}': {done.stderr.strip()}", USAGE)
    try:
        return Description.from_json(json.loads(done.stdout))
    except (ValueError, KeyError, TypeError) as error:
        raise StudyError(
            f"{command} does not describe {workload} ({error}); it is another version of homenode"
        ) from error
