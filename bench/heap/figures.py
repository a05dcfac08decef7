"""The arithmetic of a comparison: medians, ratios to the best peer, geometric means and how far
they can be trusted. Pure: what is measured comes in as numbers, round by round."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Of each benchmark, of each allocator, one figure for each round, in the rounds' order.
Rounds = Mapping[str, Mapping[str, Sequence[float]]]
# Of each benchmark and allocator a median, or a row of them, one for each drawing of rounds.
Medians = Mapping[str, Mapping[str, npt.NDArray[np.float64]]]
# Of each benchmark a ratio, or a row of them.
Ratios = Mapping[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Mean:
    """A geometric mean of ratios, and the range in which 95 % of its resampled values lie."""

    value: float
    low: float
    high: float
    benchmarks: int


def medians(rounds: Rounds) -> Medians:
    """Of each benchmark and allocator, the middle of its rounds."""
    return {
        name: {who: np.median(np.asarray(values)) for who, values in by.items()}
        for name, by in rounds.items()
    }


def drawn(rounds: Rounds, draws: int = 1000, seed: int = 1) -> Medians:
    """The medians of rounds drawn with replacement. A benchmark's allocators keep their rounds
    together, as they were measured in turn under the same load. pre: `complete`"""
    chance = np.random.default_rng(seed)
    found = {}
    for name, by in rounds.items():
        count = len(next(iter(by.values())))
        picks = chance.integers(count, size=(draws, count))
        found[name] = {who: np.median(np.asarray(v)[picks], axis=1) for who, v in by.items()}
    return found


def over_best(middle: Medians, who: str, ours: str) -> Ratios:
    """Of each benchmark, the ratio of an allocator to the best of the others; ours is no bar."""
    ratios = {}
    for name, by in middle.items():
        others = [by[other] for other in by if other not in (who, ours)]
        if who in by and others:
            ratios[name] = by[who] / np.minimum.reduce(others)
    return ratios


def over(middle: Medians, who: str, other: str) -> Ratios:
    """Of each benchmark that both have figures for, the ratio of one to the other."""
    both = {name: by for name, by in middle.items() if who in by and other in by}
    return {name: by[who] / by[other] for name, by in both.items()}


def geometric_mean(ratios: Ratios) -> npt.NDArray[np.float64]:
    """The mean of ratios that is the same seen from either side. pre: there are some"""
    logs = np.log(np.asarray(list(ratios.values())))
    return np.asarray(np.exp(logs.mean(axis=0)))


def mean(middle: Medians, draws: Medians, ratios_of: Callable[[Medians], Ratios]) -> Mean | None:
    """The geometric mean of what `ratios_of` makes of the medians, with its bootstrap interval;
    None where it makes nothing of them."""
    ratios = ratios_of(middle)
    if not ratios:
        return None
    low, high = np.quantile(geometric_mean(ratios_of(draws)), [0.025, 0.975])
    return Mean(float(geometric_mean(ratios)), float(low), float(high), len(ratios))


def worst(ratios: Ratios) -> tuple[str, float]:
    """The benchmark with the largest ratio. pre: there is one"""
    name = max(ratios, key=lambda key: float(ratios[key]))
    return name, float(ratios[name])


def complete(rounds: Rounds) -> Rounds:
    """What rounds can be drawn from together: of each benchmark as many as the allocator with the
    fewest has. Who has none has no part in that benchmark."""
    whole = {}
    for name, by in rounds.items():
        present = {who: values for who, values in by.items() if values}
        count = min((len(values) for values in present.values()), default=0)
        if count:
            whole[name] = {who: values[:count] for who, values in present.items()}
    return whole
