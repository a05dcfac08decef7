"""The table of verbs (verbs.inc), which the command and the build read too."""

from dataclasses import dataclass
from pathlib import Path

from homenode import tables


@dataclass(frozen=True)
class Verb:
    """A verb, what it is written in, and what it does as `homenode --help` says."""

    name: str
    language: str
    summary: str


VERBS = {
    verb.name: verb
    for verb in (Verb(*map(str, row)) for row in tables.rows(Path(__file__).with_name("verbs.inc")))
}
BUILT_IN = tuple(verb.name for verb in VERBS.values() if verb.language == "C++")
PYTHON = tuple(verb.name for verb in VERBS.values() if verb.language == "Python")
