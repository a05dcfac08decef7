"""Who is beaten, who leads and when that is sure, from the runs of all rounds. Pure.

A round runs the program as it is and every candidate that is left, in random order. What a round
proves depends on its runs and those before it alone, so a race can be replayed from its journal.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from homenode.tune.candidate import Candidate
from homenode.tune.metric import Metric
from homenode.tune.predicting import by_promise
from homenode.tune.running import Run
from homenode.tune.statistics import UNKNOWN, Clock, Interval, compare

ERROR = 0.05  # Of all claims together.
ENOUGH = 8  # Rounds in which a gain that is worth having usually shows.
LOOKS = 2  # Rounds before a candidate may be set aside.

# What became of a candidate.
RUNNING, BEATEN, SET_ASIDE, FAILED = "running", "beaten", "set aside", "failed"


@dataclass
class Standing:
    """How a candidate stands. `logs`: logarithms of its gains, by round; `why`: how it ended."""

    candidate: Candidate
    values: list[float] = field(default_factory=list)
    logs: dict[int, float] = field(default_factory=dict)
    interval: Interval = UNKNOWN
    state: str = RUNNING
    why: str = ""


class Race:
    """Candidates against the program as it is, which is not one of them."""

    def __init__(
        self, candidates: Sequence[Candidate], metric: Metric, clock: Clock, margin: float
    ) -> None:
        self.standings = [Standing(candidate) for candidate in candidates]
        self.metric = metric
        self.clock = clock
        self.margin = margin
        self.error = ERROR / max(1, len(candidates))  # Bonferroni.
        self.as_it_is: list[float] = []
        self.rounds = 0

    @property
    def running(self) -> list[Standing]:
        """Those that take part in the next round."""
        return [one for one in self.standings if one.state == RUNNING]

    @property
    def leader(self) -> Standing | None:
        """Of those that are surely better, the one that gained most; None if none is."""
        better = [one for one in self.running if one.interval.better]
        return max(better, key=lambda one: one.interval.estimate, default=None)

    @property
    def over(self) -> bool:
        """Whether more rounds would change nothing: one is left that is better, or none is."""
        running = self.running
        return not running or (len(running) == 1 and running[0].interval.better)

    def order(self, number: int) -> list[Standing | None]:
        """Who runs when in round `number`; None is the program as it is."""
        turns: list[Standing | None] = [None, *self.running]
        random.Random(number).shuffle(turns)
        return turns

    def add(self, before: Run, runs: Mapping[str, Run]) -> None:
        """Takes in one complete round. pre: `before` has a value."""
        self.rounds += 1
        assert before.value is not None
        self.as_it_is.append(before.value)
        if self.rounds == 1:  # Of what cannot run, nothing is claimed.
            known = [runs.get(one.candidate.name) for one in self.running]
            able = sum(run is not None and run.value is not None for run in known)
            self.error = ERROR / max(1, able)
        for one in self.running:
            run = runs.get(one.candidate.name)
            if run is None:
                continue
            if run.value is None:
                one.state, one.why = FAILED, run.error or "it failed"
                continue
            one.values.append(run.value)
            one.logs[self.rounds] = self.metric.log_gain(before.value, run.value)
            now = compare(list(one.logs.values()), self.error, self.clock)
            one.interval = now.narrowed(one.interval)
        self._drop()

    def _drop(self) -> None:
        """Those that surely gain too little, against the program as it is or against the leader."""
        for one in self.running:
            if one.interval.below(self.margin):
                slower = one.interval.worse
                one.state = BEATEN
                one.why = f"surely {'slower' if slower else f'gains less than {self.margin:.2%}'}"
        leader = self.leader
        for one in self.running:
            if leader is None or one is leader:
                continue
            common = [number for number in one.logs if number in leader.logs]
            ratios = [one.logs[number] - leader.logs[number] for number in common]
            if compare(ratios, self.error, self.clock).below(self.margin):
                one.state, one.why = BEATEN, f"no better than {leader.candidate.name}"

    def set_aside(self, runs_left: int) -> list[Standing]:
        """Narrows the field to what the rest of the budget can decide: the least promising leave,
        about whom nothing is claimed."""
        gone: list[Standing] = []
        while self.rounds >= LOOKS and len(self.running) > 1:
            possible = runs_left // (len(self.running) + 1)
            if self.rounds + possible >= ENOUGH:
                break
            last = min(self.running, key=_promise)
            self.leave(last.candidate.name)
            gone.append(last)
        return gone

    def leave(self, name: str) -> None:
        """Sets a candidate aside."""
        for one in self.running:
            if one.candidate.name == name:
                one.state = SET_ASIDE
                one.why = "others looked more promising, and the budget is short"


def _promise(one: Standing) -> float:
    return one.interval.estimate if one.logs else -math.inf


def taking_part(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """The most promising ones, by prediction where there is one, else in their order."""
    known = [one for one in candidates if one.predicted is not None]
    return [*by_promise(known), *(one for one in candidates if one.predicted is None)][:most]
