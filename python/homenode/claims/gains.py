"""By how much one placement is better than another, in both readings of "X % better". Pure.

A paper that prints "22 % better" may mean (t_ref - t) / t_ref, the share of time that is saved, or
t_ref / t - 1, the gain in speed. Both are computed, each with the span that repetitions leave open.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from homenode.claims.points import Sample

PERCENT = 100.0


@dataclass(frozen=True)
class Span:
    """A value, and the least and the largest that the repetitions allow."""

    value: float
    low: float
    high: float

    @property
    def positive(self) -> bool:
        """Whether it is above 0 however the repetitions are combined."""
        return self.low > 0

    @property
    def negative(self) -> bool:
        """Whether it is below 0 however the repetitions are combined."""
        return self.high < 0

    def holds(self, value: float) -> bool:
        """Whether a value lies in the span."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Gain:
    """A gain in percent in both readings. `known_noise`: every case was repeated."""

    saved: Span  # (t_ref - t) / t_ref
    faster: Span  # t_ref / t - 1
    known_noise: bool

    @property
    def clearly_better(self) -> bool:
        """Whether the difference is above the noise, for the better."""
        return self.known_noise and self.saved.positive

    @property
    def clearly_worse(self) -> bool:
        """Whether the difference is above the noise, for the worse."""
        return self.known_noise and self.saved.negative


def ratio(of: Sample, to: Sample) -> Span:
    """How often the time `to` goes into the time `of`, with what the repetitions allow."""
    return Span(of.middle / to.middle, of.low / to.high, of.high / to.low)


def gain(time: Sample, reference: Sample) -> Gain:
    """By how much `time` is better than `reference`."""
    slower = ratio(reference, time)
    values = (slower.value, slower.low, slower.high)
    saved = Span(*(PERCENT * (1 - 1 / times) for times in values))
    faster = Span(*(PERCENT * (times - 1) for times in values))
    return Gain(saved, faster, time.has_spread and reference.has_spread)


def mean(gains: Sequence[Gain]) -> Gain:
    """The mean over points, as papers take it: of the percentages. pre: there is one."""
    return Gain(
        _mean(each.saved for each in gains),
        _mean(each.faster for each in gains),
        all(each.known_noise for each in gains),
    )


def _mean(spans: Iterable[Span]) -> Span:
    every = list(spans)
    return Span(
        fmean(s.value for s in every), fmean(s.low for s in every), fmean(s.high for s in every)
    )


def time_ratios(percent: float) -> tuple[float, float]:
    """t_ref / t for a printed percentage, in both readings."""
    share = percent / PERCENT
    return (1 / (1 - share) if share < 1 else float("inf"), 1 + share)
