"""The value that those who think of placements and those who run them share. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Candidate:
    """A placement that `homenode run OPTIONS -- PROGRAM` gives. No options: the program as it is.

    `name` is short and unique; `threads` is the thread map as the model takes it, None as found;
    `memory` has the rule of each object by its name, None of all others; `why` is half a sentence.
    `predicted` is the time relative to the program as it is, None without a model; `sure` is the
    relative error to expect of it.
    """

    name: str
    options: tuple[str, ...]
    threads: str | None = None
    memory: tuple[tuple[str | None, str], ...] = ()
    why: str = ""
    predicted: float | None = None
    sure: float | None = None
    bottleneck: str = ""

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Candidate":
        """That of an object of its fields, which JSON has made lists of; raises KeyError, TypeError
        or ValueError when it is none."""
        known = dict(value)
        known["options"] = tuple(str(word) for word in known["options"])
        known["memory"] = tuple((name, str(rule)) for name, rule in known["memory"])
        return Candidate(**known)
