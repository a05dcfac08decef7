"""How text and page put figures into words. Pure."""

import math

from homenode.tune.candidate import Candidate
from homenode.tune.metric import Metric
from homenode.tune.race import Standing
from homenode.tune.statistics import Interval, gain

SURE = "95 % sure"
TELLING = 10.0  # An interval that reaches further says nothing.


def percent(share: float) -> str:
    """Signed: +5.1 %, -12 %, +0.03 %."""
    amount = share * 100
    digits = 0 if abs(amount) >= 10 else 1 if abs(amount) >= 0.1 or amount == 0 else 2
    return f"{amount:+.{digits}f} %"


def between(interval: Interval) -> str:
    """The bounds of a gain: "+5.1 % to +10 %"."""
    if math.isinf(interval.low) or gain(interval.high) > TELLING:
        return "too few runs to tell"
    return f"{percent(gain(interval.low))} to {percent(gain(interval.high))}"


def value(number: float, metric: Metric, *, modelled: bool = False) -> str:
    """What was measured, with its unit and where it comes from."""
    unit = f" {metric.unit}" if metric.unit else ""
    return f"{number:.4g}{unit}{' modelled' if modelled else ''}"


def better(metric: Metric) -> str:
    """What a gain is called."""
    return "faster" if metric.pattern is None else "better"


def reason(candidate: Candidate) -> str:
    """Two sentences at most: what the placement does, and what held the program up before."""
    why = candidate.why or f"it runs with {' '.join(candidate.options)}"
    first = f"{why[:1].upper()}{why[1:].rstrip('.')}."
    if not candidate.bottleneck:
        return f"{first} That it helps is what the runs show; no model had a part in it."
    expected = ""
    if candidate.predicted is not None:
        expected = f", and predicts {percent(1 / candidate.predicted - 1)}"
    return f"{first} The model names {candidate.bottleneck} as what then limits it{expected}."


def ended(one: Standing, most: int = 100) -> str:
    """Why a candidate left, short enough for a table; the journal has all of it."""
    return one.why if len(one.why) <= most else f"{one.why[: most - 1].rstrip()}…"


def outcome(one: Standing) -> str:
    """What became of a candidate: its gain so far, and why it left."""
    if not one.logs:
        return one.why or "not run"
    found = f"{percent(gain(one.interval.estimate))} ({between(one.interval)})"
    return f"{found}; {one.why}" if one.why else found
