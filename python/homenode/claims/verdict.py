"""What became of a claim: a verdict, what was found, and a sentence that says why. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from homenode.claims.gains import Gain, Span


class Verdict(StrEnum):
    """How a claim and the records go together."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "cannot be decided"


@dataclass(frozen=True)
class Finding:
    """What a rule came to. `value` is the found number in `unit`, None where there is none.

    `saved` and `faster` are the two readings of "X % better", where the rule is about gains.
    `size_alone`: what differs is the printed size; the order is as the paper says.
    """

    verdict: Verdict
    found: str
    why: str
    value: float | None = None
    unit: str = ""
    saved: Span | None = None
    faster: Span | None = None
    size_alone: bool = False


def undecided(why: str, found: str = "–") -> Finding:
    """A claim that these records do not decide."""
    return Finding(Verdict.UNDECIDED, found, why)


def of_gain(verdict: Verdict, gain: Gain, why: str, *, size_alone: bool = False) -> Finding:
    """A finding about a gain, with both of its readings."""
    found, value = gain_text(gain), gain.saved.value
    return Finding(verdict, found, why, value, "%", gain.saved, gain.faster, size_alone)


def gain_text(gain: Gain) -> str:
    """Both readings, with the span of the noise where it is known."""
    return f"{span_text(gain.saved, gain)} of the time; {span_text(gain.faster, gain)} in speed"


def span_text(span: Span, gain: Gain) -> str:
    """A percentage and its span."""
    text = f"{span.value:+.1f} %"
    return f"{text} [{span.low:+.1f}, {span.high:+.1f}]" if gain.known_noise else text
