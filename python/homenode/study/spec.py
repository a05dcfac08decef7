"""Reads a study's TOML file and expands its factors into cases. Pure but for the reading."""

import dataclasses
import itertools
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homenode.errors import USAGE
from homenode.places import shipped
from homenode.study import program
from homenode.study.case import Case, Option
from homenode.study.description import Description, describe
from homenode.study.errors import StudyError
from homenode.study.options import option_value, require_choices
from homenode.study.quick import QUICK, quickened
from homenode.study.runner import Roi

SCHEMA = "homenode.study/1"
TOP_LEVEL = {
    "command",
    "roi",
    "figures",
    "schema",
    "name",
    "title",
    "about",
    "workload",
    "machines",
    "timeout_s",
    "repetitions",
    "time",
    "scale",
    "guests",
    "huge_pages",
    "node_memory_mib",
    "parts",
    "quick",
}
PART = {"workload", "fixed", "factors"}
DEFAULT_TIMEOUT_S = 300.0
NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
Describe = Callable[[str], Description]


@dataclass(frozen=True)
class Factor:
    """One thing that varies. Each level sets one option, or several that go together."""

    name: str
    levels: tuple[tuple[tuple[str, Option], ...], ...]


@dataclass(frozen=True)
class Part:
    """One workload of a study: the options that are fixed and the factors that are crossed."""

    description: Description  # Of the workload.
    fixed: tuple[tuple[str, Option], ...]
    factors: tuple[Factor, ...]

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the options that the factors set, in order, each once."""
        names = (name for f in self.factors for level in f.levels for name, _ in level)
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class Study:
    """A declared experiment: parts, most often one, that all run on the same machines.

    `time`: whether the lab models time; None where the file leaves it to what QEMU can.
    `huge_pages`: whether the lab's guests have transparent ones; None as the lab has it.
    """

    name: str
    title: str
    about: str
    machines: tuple[str, ...]
    timeout_s: float
    parts: tuple[Part, ...]
    repetitions: int = 1
    time: bool | None = None
    huge_pages: bool | None = None
    node_memory_mib: int | None = None  # Of each node in the lab; None as the machine's file says.
    guests: int | None = None  # How many of the lab's machines at once; None: what fits.
    scale: int = 1  # Divides caches and memory of the lab's machines.
    figures: tuple[program.Figure, ...] = ()  # That the program of a study of a command prints.
    roi: Roi = "markers"
    file: str = ""  # As a person named it; a record says so, for whoever repeats it.

    @property
    def workloads(self) -> Mapping[str, Description]:
        """The workloads of all parts by name, in order, each once."""
        return {part.description.name: part.description for part in self.parts}

    def label(self, case: Case) -> str:
        """A short name for people: what varies, after the workload and before the machine where
        there are several."""
        name = case.workload
        varying = (v for p in self.parts if p.description.name == name for v in p.varying)
        label = case.label(tuple(dict.fromkeys(varying)))
        label = label if len(self.workloads) == 1 else f"{name} · {label}"
        return label if len(self.machines) == 1 else f"{label} on {case.machine}"


def expand(study: Study, machine: str, machine_digest: str) -> list[Case]:
    """Every combination of each part's levels, the last factor varying fastest, each case once."""
    cases: dict[str, Case] = {}
    for part in study.parts:
        for levels in itertools.product(*(factor.levels for factor in part.factors)):
            options = dict(part.fixed)
            for level in levels:
                options.update(level)
            case = Case(part.description.name, machine, machine_digest, tuple(options.items()))
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
        known = ", ".join(_shipped())
        raise StudyError(
            f"no study is called {name!r}; choose one of: {known}; or give the path of a TOML file",
            USAGE,
        )
    return path


def _shipped() -> list[str]:
    """The names of the studies that come with homenode."""
    return sorted({file.stem for at in shipped("studies") for file in at.glob("*.toml")})


def load(path: Path, *, quick: bool = False) -> Study:
    """Reads a study file, or its quick form. Raises StudyError that names the first mistake."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        whole = parse(document)
        # Both are read, so that a mistake in either is reported before anything runs.
        short = parse(quickened(document)) if quick or QUICK in document else whole
        return short if quick else whole
    except OSError as error:
        known = ", ".join(_shipped())
        raise StudyError(
            f"cannot read the study {path}: {error.strerror}; give a TOML file, or the name of a "
            f"study that comes with homenode ({known})"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyError(f"{path} is not valid TOML: {error}", USAGE) from error
    except StudyError as error:
        raise StudyError(f"{path}: {error}", USAGE) from error


def parse(document: Mapping[str, Any], describe: Describe = describe) -> Study:
    """A study from parsed TOML; raises StudyError that names the first mistake.

    `describe` says what a workload is and what can be set.
    """
    _refuse_unknown(document, TOP_LEVEL | PART, "the study has no key")
    if document.get("schema") != SCHEMA:
        raise StudyError(f'the first line must be: schema = "{SCHEMA}"')
    figures = program.figures_in(_table(document, "figures"))
    return Study(
        parts=_parts(document, describe, figures),
        figures=figures,
        roi=program.roi_in(document),
        name=_name(document),
        title=_text(document, "title"),
        about=str(document.get("about", "")).strip(),
        machines=_machines(document),
        timeout_s=_timeout_s(document),
        repetitions=_at_least_one(document, "repetitions"),
        scale=_at_least_one(document, "scale"),
        guests=_at_least_one_or_none(document, "guests"),
        node_memory_mib=_at_least_one_or_none(document, "node_memory_mib"),
        time=_flag(document, "time"),
        huge_pages=_flag(document, "huge_pages"),
    )


def _program(document: Mapping[str, Any], figures: tuple[program.Figure, ...]) -> Part:
    """The only part of a study of a command line."""
    twice = sorted({"workload", "parts"} & set(document))
    if twice:
        raise StudyError(f"'{twice[0]}' stands beside command; keep one")
    fixed, factors = _table(document, "fixed"), _table(document, "factors")
    options = dict(fixed)
    for name, levels in factors.items():
        first = levels[0] if isinstance(levels, list) and levels else levels
        options |= first if isinstance(first, dict) else {name: first}
    words = program.check(document[program.NAME], options)
    workload = program.describe(options, figures)
    whole = {"fixed": fixed, "factors": factors}
    part = _part(whole, lambda name: workload, "")
    line = (program.NAME, shlex.join(words))
    return dataclasses.replace(part, fixed=(line, *part.fixed))


def _parts(
    document: Mapping[str, Any], describe: Describe, figures: tuple[program.Figure, ...]
) -> tuple[Part, ...]:
    """The parts; a study without [parts] is itself the only one."""
    if program.NAME in document:
        return (_program(document, figures),)
    if figures:
        raise StudyError("[figures] is for a study of a command; a workload says its own")
    named = _table(document, "parts")
    if not named:
        return (_part(document, describe, ""),)
    twice = sorted(PART & set(document))
    if twice:
        raise StudyError(f"'{twice[0]}' stands beside [parts]; move it into each part")
    parts = []
    for name in named:
        part = _table(named, name)
        _refuse_unknown(part, PART, f"[parts.{name}] has no key")
        parts.append(_part(part, describe, f"parts.{name}."))
    return tuple(parts)


def _part(table: Mapping[str, Any], describe: Describe, where: str) -> Part:
    """One part; `where` is what its tables' names begin with."""
    workload = describe(_text(table, "workload") if "workload" in table else "map")
    fixed = _table(table, "fixed")
    factors = _table(table, "factors")
    if program.RUN in fixed or _sets(factors, program.RUN):
        workload = program.placed_from_outside(workload)
    if not factors:
        raise StudyError(f"[{where}factors] must have at least one factor that varies")
    part = Part(
        workload,
        tuple((key, option_value(workload, key, value)) for key, value in fixed.items()),
        tuple(_factor(workload, key, value) for key, value in factors.items()),
    )
    both = sorted(set(part.varying) & set(fixed))
    if both:
        raise StudyError(f"'{both[0]}' is both in [{where}fixed] and in [{where}factors]; keep one")
    places = f"[{where}fixed] or [{where}factors]"
    require_choices(workload, {*fixed, *part.varying}, places)
    return part


def _sets(factors: Mapping[str, Any], option: str) -> bool:
    """Whether a factor is the option, or has levels that set it."""
    levels = (level for each in factors.values() if isinstance(each, list) for level in each)
    return option in factors or any(isinstance(v, dict) and option in v for v in levels)


def _name(document: Mapping[str, Any]) -> str:
    name = _text(document, "name")
    if not NAME.fullmatch(name):
        raise StudyError(f"the name '{name}' must be lower-case letters, digits, '.', '_' and '-'")
    return name


def _machines(document: Mapping[str, Any]) -> tuple[str, ...]:
    machines = document.get("machines")
    if (
        not isinstance(machines, list)
        or not machines
        or not all(isinstance(m, str) for m in machines)
    ):
        raise StudyError('machines must be a list of names, such as ["quad-4x2"]')
    return tuple(dict.fromkeys(machines))


def _timeout_s(document: Mapping[str, Any]) -> float:
    value = document.get("timeout_s", DEFAULT_TIMEOUT_S)
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise StudyError("timeout_s must be a positive number of seconds")
    return float(value)


def _at_least_one(document: Mapping[str, Any], key: str) -> int:
    value = document.get(key, 1)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise StudyError(f"{key} must be a whole number of at least 1")
    return value


def _at_least_one_or_none(document: Mapping[str, Any], key: str) -> int | None:
    """None where the file does not say."""
    return _at_least_one(document, key) if key in document else None


def _flag(document: Mapping[str, Any], name: str) -> bool | None:
    """True or false; None where the file does not say."""
    value = document.get(name)
    if value is not None and not isinstance(value, bool):
        raise StudyError(f"{name} must be true or false")
    return value


def _factor(workload: Description, name: str, levels: Any) -> Factor:
    if not isinstance(levels, list) or not levels:
        raise StudyError(f"the factor '{name}' must be a list with at least one value")
    made = []
    for level in levels:
        pairs = level if isinstance(level, dict) else {name: level}
        if not pairs:
            raise StudyError(f"the factor '{name}' has an empty level")
        made.append(
            tuple((key, option_value(workload, key, value)) for key, value in pairs.items())
        )
    return Factor(name, tuple(made))


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
