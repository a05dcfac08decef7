"""What a race comes to: a better placement, nothing better, or not enough runs to tell. Pure."""

import math
from dataclasses import dataclass
from enum import StrEnum

from homenode.tune.race import BEATEN, FAILED, RUNNING, Race, Standing
from homenode.tune.statistics import gain
from homenode.tune.words import TELLING


class Kind(StrEnum):
    """The answers."""

    BETTER = "better"
    NOTHING_BETTER = "nothing better"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Verdict:
    """`winner` of BETTER. `most`: what no candidate that ran to its end gains more than, relative;
    None where it is not known. `promising`: of UNDECIDED, the one that looks best."""

    kind: Kind
    winner: Standing | None = None
    most: float | None = None
    promising: Standing | None = None


def verdict(race: Race) -> Verdict:
    """The answer as of now."""
    leader = race.leader
    if leader is not None:
        return Verdict(Kind.BETTER, leader)
    judged = [one for one in race.standings if one.state in (BEATEN, RUNNING) and one.logs]
    highest = max((one.interval.high for one in judged), default=-math.inf)
    most = max(0.0, gain(highest)) if judged and gain(highest) <= TELLING else None
    sure = all(one.state in (BEATEN, FAILED) for one in race.standings)
    if sure:
        return Verdict(Kind.NOTHING_BETTER, most=most)
    running = [one for one in race.running if one.logs]
    best = max(running, key=lambda one: one.interval.estimate, default=None)
    return Verdict(Kind.UNDECIDED, most=most, promising=best)
