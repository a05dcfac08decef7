"""The rules about threads: speed-ups, ratios, and what more threads cost. Pure."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from homenode.claims.gains import PERCENT, Span, ratio
from homenode.claims.points import Observed, Sample, by_point
from homenode.claims.rules import NO_NOISE
from homenode.claims.table import Claim
from homenode.claims.verdict import Finding, Verdict, undecided

Program = tuple[str, str, tuple[tuple[str, str], ...]]
Series = Mapping[int, Sample]  # By the number of threads, in order.


def series(cases: Sequence[Observed], placement: str) -> dict[Program, dict[int, Sample]]:
    """The times of one placement over threads, for each program."""
    found: dict[Program, dict[int, Sample]] = {}
    for point, at in by_point(cases).items():
        if placement in at:
            found.setdefault(point.program, {})[point.threads] = at[placement]
    return found


def _slower(later: Sample, earlier: Sample) -> Span:
    """By which share a time is above another; positive where it is slower above the noise."""
    times = ratio(later, earlier)
    return Span(times.value - 1, times.low - 1, times.high - 1)


def slows(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """With the most threads each strategy takes longer than with some fewer."""
    falls: list[str] = []
    stays: list[str] = []
    unclear: list[str] = []
    noise = True
    for name in claim.names("strategies"):
        for times in series(cases, name).values():
            if len(times) < 2:
                continue
            *fewer, most = times.values()
            fastest = min(fewer, key=lambda sample: sample.middle)
            change = _slower(most, fastest)
            text = f"{name} {PERCENT * change.value:+.0f} %"
            (falls if change.positive else stays if change.negative else unclear).append(text)
            noise = noise and most.has_spread and fastest.has_spread
    found = falls + stays + unclear
    if not found:
        return undecided("the records have no strategy with several numbers of threads")
    text = "; ".join(found) + " (most threads against the fastest of fewer)"
    if not noise:
        return undecided(NO_NOISE, text)
    if stays:
        why = f"{len(stays)} of {len(found)} are fastest with the most threads"
        return Finding(Verdict.DIFFERS, text, why)
    if unclear:
        return undecided(f"{len(unclear)} of {len(found)} changes are within the noise", text)
    return Finding(Verdict.AGREES, text, "all take longer with the most threads")


def only_scaling(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """More threads never slow one strategy down, and slow down each other one somewhere."""
    name = claim.text("strategy")
    worst = {
        each: step
        for each in sorted({case.placement for case in cases})
        if (step := _worst_step(cases, each)) is not None
    }
    own = worst.pop(name, None)
    if own is None or not worst:
        return undecided("the records lack strategies with several numbers of threads")
    falling, steady = (
        ", ".join(other for other, (step, _) in worst.items() if step.positive is falls)
        for falls in (True, False)
    )
    text = f"falls: {falling or 'none of the others'}"
    if not all(known for _, known in (own, *worst.values())):
        return undecided(NO_NOISE, text)
    if own[0].positive:
        return Finding(Verdict.DIFFERS, text, f"the speed-up of {name} falls as well")
    if steady:
        return Finding(Verdict.DIFFERS, text, f"nor does that of {steady} fall above the noise")
    return Finding(Verdict.AGREES, text, "it is the only one that more threads never slow down")


def _worst_step(cases: Sequence[Observed], placement: str) -> tuple[Span, bool] | None:
    """The step to more threads that slows a strategy down most, and whether all noise is known."""
    steps = [
        (_slower(later, earlier), later.has_spread and earlier.has_spread)
        for times in series(cases, placement).values()
        for earlier, later in pairwise(times.values())
    ]
    if not steps:
        return None
    return max((step for step, _ in steps), key=lambda s: s.low), all(known for _, known in steps)


def grows(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """With the largest value of an option a strategy costs more, over another, than with the least.

    The option is a number or a size, such as 48m.
    """
    (other, *_), name, option = claim.names("than"), claim.text("strategy"), claim.text("option")
    spans: dict[float, tuple[str, Span, bool]] = {}
    for point, at in by_point(cases).items():
        value = dict(point.options).get(option)
        if value is not None and name in at and other in at:
            known = at[name].has_spread and at[other].has_spread
            spans[_number_of(value)] = (value, ratio(at[name], at[other]), known)
    if len(spans) < 2:
        return undecided(f"the records have {name} and {other} with fewer than two of --{option}")
    (least, first, _), *_, (most, last, _) = (each for _, each in sorted(spans.items()))
    text = f"{first.value:.3g} with {least}, {last.value:.3g} with {most}"
    if not all(known for _, _, known in spans.values()):
        return undecided(NO_NOISE, text)
    if last.low > first.high:
        return Finding(Verdict.AGREES, text, f"the time over that of {other} grows")
    if last.high < first.low:
        return Finding(Verdict.DIFFERS, text, f"the time over that of {other} falls")
    return Finding(
        Verdict.DIFFERS, text, f"the time over that of {other} grows by no more than noise"
    )


def _number_of(text: str) -> float:
    """Of a number, or of a size in its unit."""
    scale = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}.get(text[-1:].lower(), 1)
    return float(text[:-1] if scale > 1 else text) * scale


def time_ratio(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """How often one strategy's time goes into another's: `than` over `strategy`."""
    (other, *_), name = claim.names("than"), claim.text("strategy")
    spans = [
        ratio(at[other], at[name])
        for at in by_point(cases).values()
        if name in at and other in at
    ]  # fmt: skip
    return _number(claim, spans)


def speed_up(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """The time on the fewest threads over that on the number that the claim names."""
    spans = []
    for times in series(cases, claim.text("strategy")).values():
        counts = list(times)
        if 1 in times and len(counts) > 1:
            spans.append(ratio(times[1], times[counts[-1]]))
    return _number(claim, spans)


def _number(claim: Claim, spans: Sequence[Span]) -> Finding:
    if len(spans) != 1:
        return undecided(f"the records have {len(spans)} such pairs of cases, not one")
    (span,) = spans
    printed = claim.number("value")
    reach = printed * claim.tolerance / PERCENT
    text = f"{span.value:.3g} [{span.low:.3g}, {span.high:.3g}]"
    if abs(span.value - printed) <= reach:
        verdict, why = Verdict.AGREES, f"within {claim.tolerance:g} % of the printed value"
    elif span.low <= printed + reach and span.high >= printed - reach:
        verdict, why = Verdict.UNDECIDED, "the noise reaches to the printed value"
    else:
        side = "above" if span.value > printed else "below"
        off = PERCENT * abs(span.value / printed - 1)
        verdict, why = Verdict.DIFFERS, f"{off:.0f} % {side} the printed value"
    return Finding(verdict, text, why, span.value, "", None, None)
