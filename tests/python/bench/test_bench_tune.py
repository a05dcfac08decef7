"""The benchmark of tune: what its figures mean."""

import math
from pathlib import Path
from typing import Any

import tune_equal
from tune_host import confirmed, judged

from homenode.tune.candidate import Candidate
from homenode.tune.running import HostRunner, Order, Run


class Clock(HostRunner):
    """Takes these times in turn, without running anything."""

    def __init__(self, *seconds: float) -> None:
        self._seconds = list(seconds)

    def run(self, candidate: Candidate, limit_s: float | None) -> Run:
        self._seconds.append(self._seconds[0])
        return Run(self._seconds.pop(0), 0.0)


def answer(verdict: str, low: float, high: float | None, most: float | None = None) -> Any:
    gain = {"estimate": 0.1, "low": low, "high": high, "pairs": 9}
    best = {"name": "best", "options": ["--best"], "gain": gain}
    worse = {"name": "worse", "options": ["--worse"], "gain": gain | {"estimate": -0.1}}
    none = {"name": "failed", "options": ["--failed"], "gain": None}
    return {
        "verdict": verdict,
        "options": ["--worse"] if verdict == "better" else None,
        "gain": gain if verdict == "better" else None,
        "margin": 0.02,
        "most": most,
        "candidates": [none, best, worse],
    }


def logs(*gains: float) -> list[float]:
    return [math.log1p(gain) for gain in gains]


def test_pairs_judge_the_answer_or_else_what_looked_best() -> None:
    assert judged(answer("better", 0.05, 0.2))["name"] == "worse"  # type: ignore[index]
    assert judged(answer("nothing better", -0.1, 0.01))["name"] == "best"  # type: ignore[index]


def test_a_gain_is_confirmed_where_pairs_find_one_of_that_size() -> None:
    claimed = answer("better", 0.05, 0.2)
    assert confirmed(claimed, *logs(0.04, 0.08, 0.1))
    assert confirmed(answer("better", 0.05, None), *logs(0.4, 0.8, 1.1))
    assert not confirmed(claimed, *logs(-0.02, 0.0, 0.04))
    assert not confirmed(claimed, *logs(0.3, 0.4, 0.5))


def test_that_nothing_is_better_is_confirmed_unless_a_gain_is_sure() -> None:
    assert confirmed(answer("nothing better", -0.1, 0.01), *logs(-0.05, 0.01, 0.06))
    assert not confirmed(answer("nothing better", -0.1, 0.01), *logs(0.04, 0.05, 0.06))
    assert confirmed(answer("undecided", -0.1, 0.08, 0.08), *logs(0.04, 0.05, 0.06))


def test_a_command_is_raced_against_itself() -> None:
    runner = tune_equal.Itself(Order(("program",)), Path(), Path())
    assert runner.words(Candidate("itself", ("nothing",))) == ["program"]


def test_a_trial_without_a_difference_runs_all_pairs_and_claims_nothing() -> None:
    found = tune_equal.trial(0, Clock(1.0, 1.01, 1.02, 0.99, 1.03))
    assert (found.claimed, found.pairs) == (False, tune_equal.PAIRS)
    assert found.deviation > 0
