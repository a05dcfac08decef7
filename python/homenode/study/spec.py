"""Reads a study's TOML file and expands its factors into cases. Pure but for the reading."""

import itertools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homenode.errors import USAGE
from homenode.places import shipped
from homenode.study.case import Case, Option
from homenode.study.errors import StudyError

SCHEMA = "homenode.study/1"
TOP_LEVEL = {
    "schema",
    "name",
    "title",
    "about",
    "workload",
    "machines",
    "timeout_s",
    "repetitions",
    "time",
}
DEFAULT_TIMEOUT_S = 300.0
NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")

# What a study may set for each workload: the words it knows, or the type of a free value.
WORKLOADS: Mapping[str, Mapping[str, tuple[str, ...] | type]] = {
    "map": {
        "pattern": (
            *("shared", "divided", "interleaved", "partial"),
            *("2d-shared-rows", "2d-shared-columns", "2d-shared-random"),
            *("2d-rows", "2d-columns", "2d-mesh"),
            *("3d-shared-x", "3d-shared-y", "3d-shared-z"),
            *("3d-slabs-z", "3d-slabs-y", "3d-slabs-x"),
            *("3d-pencils-x", "3d-pencils-y", "3d-pencils-z", "3d-blocks"),
            "multi-patterns",
        ),
        "phases": str,
        "shape": str,
        "order": ("sequential", "random"),
        "op": ("read", "write", "readwrite"),
        "method": ("default", "command-line", "api", "rewrite"),
        "threads": int,
        "size": str,
        "passes": int,
        "overlap": int,
        "team": ("pthreads", "openmp"),
        "pages": ("system", "small", "huge"),
        "seed": int,
        "bind": str,
    }
}


@dataclass(frozen=True)
class Factor:
    """One thing that varies. Each level sets one option, or several that go together."""

    name: str
    levels: tuple[tuple[tuple[str, Option], ...], ...]


@dataclass(frozen=True)
class Study:
    """A declared experiment: the fixed options and the factors that are crossed.

    `time`: whether the lab models time; None where the file leaves it to what QEMU can.
    """

    name: str
    title: str
    about: str
    workload: str
    machines: tuple[str, ...]
    timeout_s: float
    fixed: tuple[tuple[str, Option], ...]
    factors: tuple[Factor, ...]
    repetitions: int = 1
    time: bool | None = None
    file: str = ""  # As a person named it; a record says so, for whoever repeats it.

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the options that the factors set, in order, each once."""
        names = (name for f in self.factors for level in f.levels for name, _ in level)
        return tuple(dict.fromkeys(names))


def expand(study: Study, machine: str, machine_digest: str) -> list[Case]:
    """Every combination of the factors' levels, the last factor varying fastest, each case once."""
    cases: dict[str, Case] = {}
    for levels in itertools.product(*(factor.levels for factor in study.factors)):
        options = dict(study.fixed)
        for level in levels:
            options.update(level)
        case = Case(study.workload, machine, machine_digest, tuple(options.items()))
        cases.setdefault(case.id, case)
    return list(cases.values())


def find(name: str) -> Path:
    """The file of a study: a path, or the name of a study that comes with homenode.

    Raises StudyError (usage) for what is neither.
    """
    path = Path(name)
    if "/" in name or name.endswith(".toml"):
        return path
    for folder in shipped("studies"):
        if (folder / f"{name}.toml").is_file():
            return folder / f"{name}.toml"
    if not path.exists():
        known = ", ".join(
            sorted({file.stem for at in shipped("studies") for file in at.glob("*.toml")})
        )
        raise StudyError(
            f"no study is called {name!r}; known are: {known}; or give the path of a TOML file",
            USAGE,
        )
    return path


def load(path: Path) -> Study:
    """Reads a study file. Raises StudyError that names the file and the first mistake in it."""
    try:
        return parse(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise StudyError(
            f"cannot read the study {path}: {error.strerror}; give a TOML file, or the name of a "
            "study that comes with homenode (demo, luo2012, luo2012-all)"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyError(f"{path} is not valid TOML: {error}", USAGE) from error
    except StudyError as error:
        raise StudyError(f"{path}: {error}", USAGE) from error


def parse(document: Mapping[str, Any]) -> Study:
    """A study from parsed TOML; raises StudyError that names the first mistake."""
    _refuse_unknown(document, TOP_LEVEL | {"fixed", "factors"}, "the study has no key")
    if document.get("schema") != SCHEMA:
        raise StudyError(f'the first line must be: schema = "{SCHEMA}"')
    workload = _text(document, "workload")
    if workload not in WORKLOADS:
        raise StudyError(f"there is no workload '{workload}'; there is: {', '.join(WORKLOADS)}")
    name = _text(document, "name")
    if not NAME.fullmatch(name):
        raise StudyError(f"the name '{name}' must be lower-case letters, digits, '.', '_' and '-'")
    machines = document.get("machines")
    if (
        not isinstance(machines, list)
        or not machines
        or not all(isinstance(m, str) for m in machines)
    ):
        raise StudyError('machines must be a list of names, such as ["quad-4x2"]')
    timeout_s = document.get("timeout_s", DEFAULT_TIMEOUT_S)
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float) or timeout_s <= 0:
        raise StudyError("timeout_s must be a positive number of seconds")
    repetitions = document.get("repetitions", 1)
    if isinstance(repetitions, bool) or not isinstance(repetitions, int) or repetitions < 1:
        raise StudyError("repetitions must be a whole number from 1")
    time = document.get("time")
    if not isinstance(time, bool | None):
        raise StudyError("time must be true or false")
    fixed = _table(document, "fixed")
    factors = _table(document, "factors")
    if not factors:
        raise StudyError("[factors] must name at least one thing that varies")
    study = Study(
        name=name,
        title=_text(document, "title"),
        about=str(document.get("about", "")).strip(),
        workload=workload,
        machines=tuple(machines),
        timeout_s=float(timeout_s),
        fixed=tuple((key, _value(workload, key, value)) for key, value in fixed.items()),
        factors=tuple(_factor(workload, key, value) for key, value in factors.items()),
        repetitions=repetitions,
        time=time,
    )
    both = sorted(set(study.varying) & set(fixed))
    if both:
        raise StudyError(f"'{both[0]}' stands in [fixed] and in [factors]; keep one")
    return study


def _factor(workload: str, name: str, levels: Any) -> Factor:
    if not isinstance(levels, list) or not levels:
        raise StudyError(f"the factor '{name}' must be a list with at least one value")
    made = []
    for level in levels:
        pairs = level if isinstance(level, dict) else {name: level}
        if not pairs:
            raise StudyError(f"the factor '{name}' has an empty level")
        made.append(tuple((key, _value(workload, key, value)) for key, value in pairs.items()))
    return Factor(name, tuple(made))


def _value(workload: str, name: str, value: Any) -> Option:
    known = WORKLOADS[workload]
    if name not in known:
        raise StudyError(f"{workload} has no option '{name}'; it has: {', '.join(known)}")
    wanted = known[name]
    if isinstance(wanted, tuple):
        if value not in wanted:
            raise StudyError(f"{name} cannot be {value!r}; it can be: {', '.join(wanted)}")
        return str(value)
    if isinstance(value, bool) or not isinstance(value, wanted):
        raise StudyError(f"{name} cannot be {value!r}; it must be a {_type_name(wanted)}")
    return value if isinstance(value, int) else str(value)


def _type_name(wanted: type) -> str:
    return "whole number" if wanted is int else 'text, such as "16M"'


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    if not isinstance(value, str) or not value.strip():
        raise StudyError(f"the key '{key}' is missing or is not text")
    return value.strip()


def _table(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = document.get(key, {})
    if not isinstance(value, dict):
        raise StudyError(f"[{key}] must be a table")
    return value


def _refuse_unknown(document: Mapping[str, Any], known: set[str], what: str) -> None:
    unknown = sorted(set(document) - known)
    if unknown:
        raise StudyError(f"{what} '{unknown[0]}'; it has: {', '.join(sorted(known))}")
