"""How often tune claims a difference between two equal commands, in real runs on this host.

A trial is a race, as tune runs it, of a command against itself: random order in each pair, a look
after each. Whatever it claims is false. What else the host does meanwhile is the noise.
"""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from homenode.study.command import find_command
from homenode.tune.candidate import Candidate
from homenode.tune.metric import Metric
from homenode.tune.race import Race
from homenode.tune.running import HostRunner, Order
from homenode.tune.statistics import MEASURED, deviation_of

COMMAND = (sys.executable, "-I", "-S", "-c", "sum(range(500_000))")
PAIRS = 20
# Nothing is too small a gain: a race ends by a claim alone.
NO_MARGIN = 1e-9
# Rounds of different trials are numbered apart, because the number draws their order.
ROUNDS_APART = 1000


class Itself(HostRunner):
    """Runs the program as it is, whatever candidate it is asked for."""

    def words(self, candidate: Candidate) -> list[str]:
        """The program."""
        return super().words(Candidate("as it is", ()))


@dataclass(frozen=True)
class Trial:
    """`deviation` is from run to run, relative."""

    claimed: bool
    pairs: int
    deviation: float


def trial(number: int, runner: HostRunner) -> Trial:
    """One race, until it claims something or all pairs have run."""
    race = Race([Candidate("itself", ("nothing",))], Metric(), MEASURED, NO_MARGIN)
    standing = race.standings[0]
    for at in range(PAIRS):
        runs = [
            (one, runner.run(Candidate("itself", ()), None))
            for one in race.order(ROUNDS_APART * number + at)
        ]
        before = next(run for one, run in runs if one is None)
        race.add(before, {one.candidate.name: run for one, run in runs if one is not None})
        if race.over or standing.interval.better:
            break
    claimed = standing.interval.better or standing.interval.worse
    return Trial(claimed, len(standing.values), deviation_of(race.as_it_is))


def trials(count: int) -> Iterator[Trial]:
    """So many."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Itself(Order(COMMAND), find_command(), Path(folder)) as runner,
    ):
        for number in range(count):
            yield trial(number, runner)


def equal(count: int) -> int:
    """Runs the trials and prints their sum."""
    found: list[Trial] = []
    for one in trials(count):
        found.append(one)
        if one.claimed:
            print(f"trial {len(found)} claims a difference after {one.pairs} pairs", flush=True)
    claims = sum(one.claimed for one in found)
    noise = np.median([one.deviation for one in found])
    print(
        f"{claims} of {count} trials of two equal commands claim a difference (at most 5 % may), "
        f"{PAIRS} pairs each; runs vary by {noise:.1%}"
    )
    return 0
