"""All that there is to say about a tune: what text, JSON and page show. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homenode.tune.race import Race
from homenode.tune.verdict import Verdict


@dataclass(frozen=True)
class Answer:
    """`values` are those of the program as it is; `left_out` names candidates that did not take
    part; `machine` is its fingerprint; `runs` and `seconds` is what was run."""

    program: Sequence[str]
    machine: dict[str, Any]
    race: Race
    verdict: Verdict
    values: Sequence[float]
    left_out: Sequence[str]
    runs: int
    seconds: float
    modelled: bool = False
    interrupted: bool = False
