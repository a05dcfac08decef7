"""The benchmark of tune: what its figures mean."""

import math
from pathlib import Path
from typing import Any

import tune_equal
from tune_again import Again, total_again
from tune_bottleneck import bottlenecks, utilisation
from tune_host import confirmed, judged

from homenode.lab.counts import Roi, roi_from_json
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


def region(memory_ps: int, link_ps: int, *, waited_ps: int = 0, computed_ps: int = 0) -> Roi:
    """Of 100 ps; the memory of node 0 and the link to node 1 were in use for so long."""
    spent = {f"{part}_ps": 0 for part in ("other_cache", "l3", "own_cache", "spun", "slept")}
    spent |= {"computed_ps": computed_ps, "memory_ps": [waited_ps], "kernel_ps": 0, "ready_ps": 0}
    thread = {"busy_ps": 100, "first_ps": 0, "last_ps": 100, "instructions": 1, "sleeps": []}
    none = {"loads": [0, 0], "stores": [0, 0]}
    lines = {"read_lines": 0, "write_lines": 0}
    link = {"from": 0, "to": 1, "lines": 0, "busy_ps": link_ps}
    return roi_from_json(
        {
            "schema": "homenode.counts/2",
            "roi": 1,
            "ended_by": "marker",
            "registers": True,
            "nodes": [0, 1],
            "vcpus": [],
            "threads": [{"rank": None, "vcpus": [], "user": none, "time": thread | spent}],
            "time": {
                "modelled": True,
                "ps": 100,
                "epoch_ns": 1,
                "late_waits": 0,
                "controllers": [{"node": 0, "busy_ps": memory_ps, **lines}],
                "links": [link | {"shared": True}, link | {"shared": False, "busy_ps": 10}],
            },
        }
    )


def test_what_was_in_use_for_most_of_the_time_is_the_bottleneck() -> None:
    assert bottlenecks([region(80, 50)]) == {
        "bandwidth of the memory of node 0",
        "bandwidth from node 0 to the memory of node 0",
    }
    link = "bandwidth of the link from node 0 to node 1"
    assert bottlenecks([region(20, 90)]) == {link}
    assert link in bottlenecks([region(90, 89)])
    # Regions are one after the other.
    used = utilisation([region(80, 50), region(0, 50)])
    assert (used["bandwidth of the memory of node 0"], used[link]) == (0.4, 0.5)
    assert used["bandwidth from node 1 to the memory of node 0"] == 0.1


def test_threads_that_compute_are_it_where_nothing_is_full() -> None:
    assert bottlenecks([region(50, 50, waited_ps=10, computed_ps=20)]) == {"computing"}
    assert bottlenecks([region(50, 50, waited_ps=30, computed_ps=20)]) == set()


def test_runs_that_are_the_same_again_leave_nothing_to_chance() -> None:
    same = Again((1.0, 0.5, 0.7, 2.0), (1.0, 0.5, 0.7, 2.0))
    assert same.cells() == ["3", "0.0%", "0.0%", "1.00"]
    assert total_again([same]).endswith("1.000 and 1.000")


def test_what_chance_leaves_to_a_model_is_the_root_of_how_two_runs_correlate() -> None:
    found = total_again([Again((1.0, 0.5, 0.7, 2.0), (1.0, 0.5, 2.1, 1.0))])
    assert "median 50.0%" in found
    assert "rank correlation: 0.500 over all candidates" in found
    assert f"{math.sqrt(0.5):.3f} and" in found


def test_chance_that_turns_the_order_round_leaves_nothing() -> None:
    assert total_again([Again((1.0, 0.5, 0.7), (1.0, 0.7, 0.5))]).endswith("0.000 and 0.707")


def test_nothing_is_said_of_runs_that_nobody_repeated() -> None:
    assert total_again([]) == "nothing has run twice"
