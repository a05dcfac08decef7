"""What pairs prove: few false claims under any noise, and true gains found, whenever one looks."""

import math

import numpy as np
import pytest

from homenode.tune.statistics import (
    MEASURED,
    MODELLED,
    UNKNOWN,
    Floats,
    Interval,
    compare,
    deviation_of,
    gain,
    proven,
)

ERROR = 0.05
NOISE = 0.02


def normal(random: np.random.Generator, pairs: int) -> Floats:
    """Logarithms of ratios under noise of 2 % for each run."""
    runs = random.normal(0, NOISE, (pairs, 2))
    return runs[:, 0] - runs[:, 1]


def spiky(random: np.random.Generator, pairs: int) -> Floats:
    """As normal, but every tenth run is disturbed, most by a third and some by several times."""
    runs = random.normal(0, NOISE, (pairs, 2))
    runs += (random.random(runs.shape) < 0.1) * random.lognormal(-1, 1, runs.shape)
    return runs[:, 0] - runs[:, 1]


def first_claim(ratios: Floats, error: float) -> int:
    """What is claimed by one who looks after every pair, and stops at the first claim."""
    looks = (proven(ratios[:pairs], error) for pairs in range(2, len(ratios) + 1))
    return next((claim for claim in looks if claim), 0)


@pytest.mark.parametrize("noise", [normal, spiky])
def test_equal_commands_are_rarely_told_apart(noise) -> None:
    random = np.random.default_rng(17)
    claims = [first_claim(noise(random, 24), ERROR) for _ in range(1000)]
    assert sum(map(abs, claims)) <= ERROR * len(claims)


def test_a_true_gain_is_found_within_a_budget_of_forty_runs() -> None:
    random = np.random.default_rng(18)
    claims = [first_claim(normal(random, 19) + math.log(1.05), ERROR) for _ in range(400)]
    assert claims.count(1) >= 0.95 * len(claims)
    assert claims.count(-1) == 0


def test_single_disturbed_runs_do_not_hide_a_gain() -> None:
    random = np.random.default_rng(19)
    claims = [first_claim(spiky(random, 40) + math.log(1.1), ERROR) for _ in range(100)]
    assert claims.count(1) >= 0.75 * len(claims)


def test_the_interval_holds_the_truth_and_agrees_with_what_is_proven() -> None:
    random = np.random.default_rng(20)
    held = 0
    for _ in range(100):
        ratios = normal(random, 12) + math.log(1.04)
        found = compare(ratios, ERROR)
        assert found.low <= found.estimate <= found.high
        claim = proven(ratios, ERROR)
        assert (claim == 1) == found.better and (claim == -1) == found.worse
        held += found.low <= math.log(1.04) <= found.high
    assert held >= 95


def test_time_that_repeats_itself_needs_few_pairs() -> None:
    assert compare([0.1, 0.1002, 0.0999], ERROR, MODELLED).better
    assert not compare([0.1, 0.1002], ERROR, MEASURED).better
    assert compare([0.0] * 4, ERROR, MODELLED).within(0.02)


def test_more_candidates_need_more_evidence() -> None:
    ratios = normal(np.random.default_rng(21), 9) + math.log(1.05)
    one, many = compare(ratios, ERROR), compare(ratios, ERROR / 20)
    assert many.low < one.low and one.high < many.high


def test_nothing_is_known_of_one_pair() -> None:
    assert compare([], ERROR) == UNKNOWN
    found = compare([0.2], ERROR)
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert not found.better and not found.worse and not found.within(0.02)


def test_intervals_of_all_times_narrow_each_other() -> None:
    narrowed = Interval(0.02, -0.01, 0.05).narrowed(Interval(0.05, 0.03, 0.1))
    assert narrowed == Interval(0.03, 0.03, 0.05)


def test_gain_and_noise_are_relative() -> None:
    assert gain(math.log(1.05)) == pytest.approx(0.05)
    assert gain(math.inf) == math.inf and gain(-math.inf) == -1
    assert deviation_of([1.0, 1.01, 0.99, 1.0, 5.0]) == pytest.approx(0.0148, rel=0.02)
