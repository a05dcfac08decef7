"""What pairs of runs prove, however often one looks at them. Pure.

A pair is a run of a candidate and one of the program as it is, next to each other in time; of it
the logarithm of the ratio of their speeds counts. Two confidence sequences bound its centre, that
is, intervals which hold at all times together, so that looking after each pair claims no more than
looking once:

- Student's t with a normal mixture over the size of the effect. With t = mean / (s / sqrt(n)), the
  likelihood ratio of "mean 0" is (1 + t²/v)^(n/2) / (1 + t²/(v r))^(n/2) / sqrt(r), r = 1 + n g and
  v = n - 1 (F. Liang et al., Mixtures of g priors, JASA 2008). It is a test martingale
  (M. F. Pérez-Ortiz et al., E-statistics, group invariance and anytime-valid testing, Annals of
  Statistics 2024; H. Wang and A. Ramdas, Anytime-valid t-tests, Sequential Analysis 2025).
- The signs of the pairs, weighted by their size. As the order in a pair is random, the logarithms
  are symmetric around their centre, whatever the noise: 2 / (1 + exp(-2 l x)) has the mean 1 for
  each l (V. Vovk and R. Wang, Nonparametric e-tests of symmetry, NEJSDS 2024; V. de la Peña, Annals
  of Probability 1999). Single runs that something else disturbed do little harm here.

Each has half of the probability of error, and the interval is what both leave. Ville's inequality
bounds the probability that either is ever wrong.
"""

import math
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BETS = np.array([0.5, 1.0, 2.0, 4.0])
LARGEST_WEIGHT = 3.0
LEAST_PAIRS = 2
STEPS = 24  # Of a bisection: to a ten-millionth of the spread.


@dataclass(frozen=True)
class Clock:
    """How what is measured varies. `effect`: variance, in units of the noise's, of the effects that
    are looked for; `resolution`: the least noise to assume, relative."""

    effect: float
    resolution: float


MEASURED = Clock(effect=4.0, resolution=1e-4)
MODELLED = Clock(effect=100.0, resolution=5e-4)  # The lab repeats itself nearly.


@dataclass(frozen=True)
class Interval:
    """Where the logarithm of a ratio lies: its estimate, and bounds that may be infinite."""

    estimate: float
    low: float
    high: float

    @property
    def better(self) -> bool:
        """Whether the candidate is surely faster."""
        return self.low > 0

    @property
    def worse(self) -> bool:
        """Whether it is surely slower."""
        return self.high < 0

    def within(self, margin: float) -> bool:
        """Whether it differs by no more than `margin`, relative, either way."""
        most = math.log1p(margin)
        return -most < self.low and self.high < most

    def below(self, margin: float) -> bool:
        """Whether it surely gains less than `margin`, relative."""
        return self.high < math.log1p(margin)

    def narrowed(self, earlier: "Interval") -> "Interval":
        """What both leave, as intervals that hold at all times may be joined."""
        low, high = max(self.low, earlier.low), min(self.high, earlier.high)
        if low > high:
            return self
        return Interval(min(max(self.estimate, low), high), low, high)


UNKNOWN = Interval(0.0, -math.inf, math.inf)


def gain(logarithm: float) -> float:
    """How much faster, relative: 0.05 is 5 %. Infinite for infinity, -1 for its negative."""
    return math.expm1(logarithm) if logarithm < math.inf else math.inf


def centre(ratios: Floats) -> float:
    """The median of all means of two (Hodges and Lehmann): single disturbed runs do not move it."""
    first, second = np.triu_indices(len(ratios))
    return float(np.median((ratios[first] + ratios[second]) / 2))


def compare(ratios: Sequence[float], error: float, clock: Clock = MEASURED) -> Interval:
    """The interval of the centre of `ratios`, logarithms of speeds, at all times together.

    `error` is the probability that it ever misses; share it among candidates for all at once.
    """
    values = np.asarray(ratios, dtype=float)
    if len(values) == 0:
        return UNKNOWN
    estimate = centre(values)
    if len(values) < LEAST_PAIRS:
        return Interval(estimate, -math.inf, math.inf)
    mean, half = float(values.mean()), half_width(values, error / 2, clock)
    low, high = mean - half, mean + half
    if len(values) >= least_signs(error / 2):
        least, most = sign_bounds(values, error / 2)
        if max(low, least) <= min(high, most):
            low, high = max(low, least), min(high, most)
    return Interval(min(max(estimate, low), high), low, high)


def proven(ratios: Sequence[float], error: float, clock: Clock = MEASURED) -> int:
    """1 where `compare` would say better, -1 where worse, else 0; in a fraction of its time."""
    values = np.asarray(ratios, dtype=float)
    if len(values) < LEAST_PAIRS:
        return 0
    mean = float(values.mean())
    if abs(mean) > half_width(values, error / 2, clock):
        return 1 if mean > 0 else -1
    if len(values) < least_signs(error / 2) or evidence_of_signs(values, 0.0) * error / 2 < 1:
        return 0
    return 1 if float(np.median(values)) > 0 else -1


def half_width(values: Floats, error: float, clock: Clock) -> float:
    """Half of the interval of Student's t; infinite while the pairs are too few."""
    count = len(values)
    deviation = max(float(values.std(ddof=1)), clock.resolution)
    ratio = 1 + count * clock.effect
    bound = (math.sqrt(ratio) / error) ** (2 / count)
    if bound >= ratio:
        return math.inf
    return deviation * math.sqrt((bound - 1) / (1 - bound / ratio) * (count - 1) / count)


def least_signs(error: float) -> int:
    """So many pairs at least it takes until signs alone can prove anything."""
    return math.ceil(math.log2(2 * len(BETS) / error))


def evidence_of_signs(values: Floats, centre_at: float) -> float:
    """How much the signs speak against the centre `centre_at`: the mean over bets, all at least 0,
    whose expectation is 1 if it is the centre."""
    away = values - centre_at
    sizes = np.abs(away)
    usual = _usual(sizes.tolist())
    weights = np.minimum(sizes / np.where(usual > 0, usual, 1.0), LARGEST_WEIGHT)
    bets = np.concatenate([BETS, -BETS])
    exponents = -2 * np.outer(bets, np.sign(away) * weights)
    return float(np.exp((math.log(2) - np.logaddexp(0, exponents)).sum(axis=1)).mean())


def _usual(sizes: Sequence[float]) -> Floats:
    """The median of each size and all before it: no weight hangs on what comes later."""
    known: list[float] = []
    medians = []
    for size in sizes:
        insort(known, size)
        medians.append((known[len(known) // 2] + known[(len(known) - 1) // 2]) / 2)
    return np.array(medians)


def sign_bounds(values: Floats, error: float) -> tuple[float, float]:
    """The outermost centres that the signs do not exclude."""
    middle = float(np.median(values))
    spread = float(values.max() - values.min()) + 1e-9
    low, high = (_outermost(values, error, middle, side * spread) for side in (-1, 1))
    return low, high


def _outermost(values: Floats, error: float, middle: float, reach: float) -> float:
    """Bisects between the middle and what lies beyond all values, where signs agree."""
    inside, outside = middle, middle + reach
    if evidence_of_signs(values, outside) * error < 1:
        return math.copysign(math.inf, reach)
    for _ in range(STEPS):
        half = (inside + outside) / 2
        if evidence_of_signs(values, half) * error < 1:
            inside = half
        else:
            outside = half
    return outside


def deviation_of(values: Sequence[float]) -> float:
    """How much single runs vary, relative: robust against the few that something disturbed."""
    logarithms = np.log(np.asarray(values, dtype=float))
    away = np.abs(logarithms - np.median(logarithms))
    return float(np.median(away)) * 1.4826
