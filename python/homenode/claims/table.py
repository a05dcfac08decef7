"""Reads tables of claims: a TOML file for each paper, with what it says and how that is checked.

A table is written before its study runs and names everything that a verdict hangs on: the machine,
the cases, the rule, the printed value and the tolerance.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from homenode.errors import USAGE
from homenode.places import shipped
from homenode.study.errors import StudyError
from homenode.study.quick import quick_name

SCHEMA = "homenode.claims/1"
FOLDER = "claims"  # Beside the studies that come with homenode.
# Printed in the text, said in words, derived by arithmetic; a figure is compared by eye.
KINDS = ("T", "Q", "D", "F")
# Which keys each rule reads beside those of every claim: those it needs, those it may have.
RULES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "better": (frozenset({"strategy", "than"}), frozenset({"percent"})),
    "no-gain": (frozenset({"strategy", "than"}), frozenset()),
    "best": (frozenset({"strategy"}), frozenset()),
    "worst": (frozenset({"strategy"}), frozenset()),
    "close": (frozenset({"strategy", "than"}), frozenset()),
    "slows": (frozenset({"strategies"}), frozenset()),
    "only-scaling": (frozenset({"strategy"}), frozenset()),
    "ratio": (frozenset({"strategy", "than", "value"}), frozenset()),
    "speed-up": (frozenset({"strategy", "value"}), frozenset()),
    "grows": (frozenset({"strategy", "than", "option"}), frozenset()),
    "mostly-useless": (frozenset({"strategy"}), frozenset()),
    "mostly-below": (frozenset({"strategy", "than", "percent"}), frozenset()),
    "gains-within": (frozenset({"strategies", "than", "least", "most"}), frozenset()),
    "shape": (frozenset({"shape", "strategy"}), frozenset()),
    "none": (frozenset({"why"}), frozenset()),
}
COMMON = frozenset({"id", "kind", "says", "machine", "where", "threads", "rule", "tolerance"})
NUMBERS = frozenset({"percent", "value", "least", "most", "tolerance"})
LISTS = frozenset({"than", "strategies"})


@dataclass(frozen=True)
class Claim:
    """One thing that a paper says. `where` are the options of the cases that it is about.

    `threads` limits it to these numbers of threads; all that there are when it is empty. `settings`
    are what its rule needs. `tolerance` is in points of percent where the rule speaks of percent,
    else in percent of the value.
    """

    id: str
    kind: str
    says: str
    rule: str
    machine: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    threads: tuple[int, ...] = ()
    tolerance: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """A setting that is text."""
        return str(self.settings[key])

    def number(self, key: str) -> float:
        """A setting that is a number."""
        return float(self.settings[key])

    def names(self, key: str) -> tuple[str, ...]:
        """A setting that is a list of names."""
        return tuple(map(str, self.settings[key]))


@dataclass(frozen=True)
class Contradiction:
    """Printed gains of two strategies over the same two others, from which opposite orders follow.

    `first` and `second`: percent by which one strategy is better than `one` and than `other`.
    """

    claims: tuple[str, ...]
    one: str
    other: str
    first: tuple[float, float]
    second: tuple[float, float]


@dataclass(frozen=True)
class Paper:
    """A paper's claims and the studies whose records decide them."""

    id: str
    title: str
    studies: tuple[str, ...]
    placement: str  # The option that places memory in its studies.
    claims: tuple[Claim, ...]
    contradictions: tuple[Contradiction, ...] = ()
    remarks: tuple[str, ...] = ()  # What is odd in the paper, in a sentence each.

    def is_about(self, study: str) -> bool:
        """Whether a study of that name, or a quick form, is one of the paper's."""
        return any(study in (name, quick_name(name)) for name in self.studies)


def parse(document: Mapping[str, Any]) -> Paper:
    """A paper from parsed TOML. Raises StudyError that names the first mistake."""
    if document.get("schema") != SCHEMA:
        raise StudyError(f'the first line must be: schema = "{SCHEMA}"')
    try:
        claims = tuple(_claim(each) for each in document["claim"])
        paper = Paper(
            id=str(document["paper"]),
            title=str(document["title"]),
            studies=tuple(map(str, document["studies"])),
            placement=str(document.get("placement", "strategy")),
            claims=claims,
            contradictions=tuple(_contradiction(c) for c in document.get("contradiction", [])),
            remarks=tuple(map(str, document.get("remarks", []))),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise StudyError(f"the table lacks or misuses {error}") from error
    ids = [claim.id for claim in claims]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise StudyError(f"the claim {twice[0]} is there twice; give each an id of its own")
    return paper


def _claim(value: Mapping[str, Any]) -> Claim:
    name = value["id"]
    rule = value["rule"]
    if rule not in RULES:
        raise StudyError(f"{name}: there is no rule '{rule}'; choose one of: {', '.join(RULES)}")
    if value["kind"] not in KINDS:
        raise StudyError(f"{name}: the kind must be one of {', '.join(KINDS)}")
    needed, allowed = RULES[rule]
    missing = sorted(needed - set(value))
    if missing:
        raise StudyError(f"{name}: the rule '{rule}' needs '{missing[0]}'")
    unknown = sorted(set(value) - needed - allowed - COMMON)
    if unknown:
        raise StudyError(f"{name}: the rule '{rule}' has no '{unknown[0]}'")
    _check_types(str(name), value)
    return Claim(
        id=str(name),
        kind=str(value["kind"]),
        says=str(value["says"]),
        rule=str(rule),
        machine=str(value.get("machine", "")),
        where={str(k): str(v) for k, v in value.get("where", {}).items()},
        threads=tuple(int(n) for n in value.get("threads", [])),
        tolerance=float(value.get("tolerance", 0.0)),
        settings={key: value[key] for key in needed | allowed if key in value},
    )


def _check_types(name: str, value: Mapping[str, Any]) -> None:
    for key in sorted(set(value)):
        if key in NUMBERS and (isinstance(value[key], bool) or not _is_number(value[key])):
            raise StudyError(f"{name}: '{key}' must be a number")
        if key in LISTS and not isinstance(value[key], list):
            raise StudyError(f"{name}: '{key}' must be a list of names")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _contradiction(value: Mapping[str, Any]) -> Contradiction:
    first, second = (tuple(float(v) for v in value[key]) for key in ("first", "second"))
    return Contradiction(
        claims=tuple(map(str, value["claims"])),
        one=str(value["one"]),
        other=str(value["other"]),
        first=(first[0], first[1]),
        second=(second[0], second[1]),
    )


@lru_cache(maxsize=64)
def _paper(text: str) -> Paper:
    """The paper of a table's text: whoever reads many records reads the same tables each time."""
    return parse(tomllib.loads(text))


def load(path: Path) -> Paper:
    """Reads one table. Raises StudyError that names the file."""
    try:
        return _paper(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyError(
            f"cannot read the claims {path}: {error.strerror}; give a TOML file such as those of "
            "studies/claims"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyError(f"{path} is not valid TOML: {error}", USAGE) from error
    except StudyError as error:
        raise StudyError(f"{path}: {error}", USAGE) from error


def papers() -> list[Paper]:
    """All tables that come with homenode, in the order of their papers."""
    files = {file.stem: file for at in shipped("studies") for file in (at / FOLDER).glob("*.toml")}
    return sorted((load(file) for file in files.values()), key=lambda paper: paper.id)


def papers_of(studies: Sequence[str], own: Sequence[Path] = ()) -> list[Paper]:
    """The papers that these studies are about, then the tables `own`; a study's quick form counts
    as the study. Raises StudyError, as load(), and for a table of `own` that is about none."""
    known = [paper for paper in papers() if any(map(paper.is_about, studies))]
    for path in own:
        paper = load(path)
        if not any(map(paper.is_about, studies)):
            raise StudyError(
                f"{path} is about {', '.join(paper.studies)}, and the records are of "
                f"{', '.join(dict.fromkeys(studies))}; name these in its studies",
                USAGE,
            )
        known.append(paper)
    return known
