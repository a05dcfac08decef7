"""The rules by which records decide a claim about gains and orders. Pure.

A difference counts where it is above the noise: where every combination of the repetitions has the
same sign. A printed number counts as found where either reading of "better" comes within the
claim's tolerance.
"""

from collections.abc import Callable, Mapping, Sequence

from homenode.claims.gains import Gain, gain, mean
from homenode.claims.points import Observed, Point, Sample, by_point
from homenode.claims.table import Claim
from homenode.claims.verdict import Finding, Verdict, of_gain, undecided

Times = Mapping[Point, Mapping[str, Sample]]
NO_NOISE = "each case ran once, so it is not known what is noise; run more repetitions"


def gains_over(times: Times, strategy: str, than: Sequence[str]) -> list[Gain]:
    """Of a strategy over others, at each point that has them all."""
    return [
        gain(at[strategy], at[other])
        for at in times.values()
        if strategy in at and all(name in at for name in than)
        for other in than
    ]


def where_text(times: Times) -> str:
    """Over which points a mean goes."""
    threads = ", ".join(str(n) for n in sorted({point.threads for point in times if point.threads}))
    settings = len({point.program for point in times})
    named = [f"{threads} threads"] if threads else []
    if settings > 1 or not named:
        named.append(f"{settings} setting{'s' if settings > 1 else ''}")
    return ", ".join(named)


def _lacking(claim: Claim) -> Finding:
    at = f" on {claim.machine}" if claim.machine else ""
    return undecided(f"the records have no complete pair of the cases that it compares{at}")


def better(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """A strategy is better than others, by a printed percentage where there is one."""
    times = by_point(cases)
    found = gains_over(times, claim.text("strategy"), claim.names("than"))
    if not found:
        return _lacking(claim)
    got = mean(found)
    if "percent" not in claim.settings:
        return _direction(got, times)
    return _amount(got, claim.number("percent"), claim.tolerance, times)


def _direction(got: Gain, times: Times) -> Finding:
    over = where_text(times)
    if not got.known_noise:
        return of_gain(Verdict.UNDECIDED, got, NO_NOISE)
    if got.clearly_better:
        return of_gain(Verdict.AGREES, got, f"better in the mean over {over}, above the noise")
    if got.clearly_worse:
        return of_gain(Verdict.DIFFERS, got, f"worse in the mean over {over}, above the noise")
    return of_gain(Verdict.UNDECIDED, got, f"the difference over {over} is within the noise")


def _amount(got: Gain, printed: float, tolerance: float, times: Times) -> Finding:
    over = f"in the mean over {where_text(times)}"
    if not got.known_noise:
        return of_gain(Verdict.UNDECIDED, got, NO_NOISE)
    if got.clearly_worse:
        return of_gain(Verdict.DIFFERS, got, f"it is worse {over}")
    if not got.clearly_better:
        if got.saved.holds(printed) or got.faster.holds(printed):
            why = f"both 0 and the printed value are within the noise {over}"
            return of_gain(Verdict.UNDECIDED, got, why)
        return of_gain(Verdict.DIFFERS, got, f"no difference above the noise {over}")
    readings = [
        name
        for name, span in (("share of the time", got.saved), ("gain in speed", got.faster))
        if abs(span.value - printed) <= tolerance
    ]
    if readings:
        return of_gain(Verdict.AGREES, got, f"read as {' or as '.join(readings)}, {over}")
    if got.saved.value < printed < got.faster.value:
        why = f"better, and the printed value is between the two readings, {over}"
    else:
        side = "more" if got.saved.value > printed else "less"
        why = f"better, but {side} than printed, {over}"
    return of_gain(Verdict.DIFFERS, got, why, size_alone=True)


def no_gain(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """A strategy is nowhere better than others by more than the tolerance, above the noise."""
    times = by_point(cases)
    found = gains_over(times, claim.text("strategy"), claim.names("than"))
    if not found:
        return _lacking(claim)
    most = max(found, key=lambda each: each.saved.value)
    if not all(each.known_noise for each in found):
        return of_gain(Verdict.UNDECIDED, most, NO_NOISE)
    if most.clearly_better and most.saved.value > claim.tolerance:
        return of_gain(Verdict.DIFFERS, most, f"there is a gain, the largest of {len(found)}")
    return of_gain(
        Verdict.AGREES, most, f"the largest of {len(found)} gains is within {claim.tolerance:g} %"
    )


def best(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """A strategy is better than each other one, above the noise."""
    return _extreme(claim, cases, sign=1)


def worst(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """A strategy is worse than each other one, above the noise."""
    return _extreme(claim, cases, sign=-1)


def _extreme(claim: Claim, cases: Sequence[Observed], *, sign: int) -> Finding:
    times = by_point(cases)
    got = _over_each(times, claim.text("strategy"))
    if not got:
        return _lacking(claim)
    text = "; ".join(f"{g.saved.value:+.1f} % over {other}" for other, g in got.items())
    if not all(g.known_noise for g in got.values()):
        return undecided(NO_NOISE, text)
    word, opposite = ("better", "worse")[::sign]
    against = [other for other, g in got.items() if _side(g) == -sign]
    if against:
        return Finding(Verdict.DIFFERS, text, f"it is {opposite} than {_list(against)}")
    close = [other for other, g in got.items() if _side(g) == 0]
    if close:
        return undecided(f"the difference to {_list(close)} is within the noise", text)
    why = f"{word} than each other over {where_text(times)}, above the noise"
    return Finding(Verdict.AGREES, text, why)


def _over_each(times: Times, name: str) -> dict[str, Gain]:
    """The mean gain of a strategy over each other one that it has points in common with."""
    others = sorted({other for at in times.values() for other in at} - {name})
    over = {other: gains_over(times, name, [other]) for other in others}
    return {other: mean(gains) for other, gains in over.items() if gains}


def _side(got: Gain) -> int:
    """1 for what is clearly better, -1 for what is clearly worse, 0 within the noise."""
    return int(got.clearly_better) - int(got.clearly_worse)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def close(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """Two strategies take about the same: within the tolerance."""
    times = by_point(cases)
    found = gains_over(times, claim.text("strategy"), claim.names("than"))
    if not found:
        return _lacking(claim)
    got = mean(found)
    if abs(got.saved.value) <= claim.tolerance:
        return of_gain(Verdict.AGREES, got, f"within {claim.tolerance:g} % of each other")
    if got.known_noise and not (
        got.saved.low <= claim.tolerance and got.saved.high >= -claim.tolerance
    ):
        return of_gain(Verdict.DIFFERS, got, f"more than {claim.tolerance:g} % apart")
    return of_gain(Verdict.UNDECIDED, got, "the noise reaches to both sides of the tolerance")


def gains_within(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """For each program: what the best of some strategies gains over each of others."""
    times = by_point(cases)
    than = claim.names("than")
    programs = dict.fromkeys(point.program for point in times)
    found = [
        each
        for program in programs
        for each in _of_best(
            {p: at for p, at in times.items() if p.program == program},
            claim.names("strategies"),
            than,
        )
    ]
    if not found:
        return _lacking(claim)
    low, high = min(g.saved.value for g in found), max(g.saved.value for g in found)
    text = f"{low:+.1f} to {high:+.1f} % of the time, {len(programs)} programs"
    if not all(g.known_noise for g in found):
        return undecided(NO_NOISE, text)
    least = claim.number("least") - claim.tolerance
    most = claim.number("most") + claim.tolerance
    outside = sum(g.faster.value < least or g.saved.value > most for g in found)
    if outside:
        why = f"{outside} of {len(found)} gains are outside, in either reading"
        return Finding(Verdict.DIFFERS, text, why)
    return Finding(Verdict.AGREES, text, f"all {len(found)} gains are in the printed range")


def _of_best(times: Times, names: Sequence[str], than: Sequence[str]) -> list[Gain]:
    """The mean gains, over each of `than`, of the strategy with the largest; none without all."""
    means = []
    for name in names:
        over = [gains for other in than if (gains := gains_over(times, name, [other]))]
        if len(over) == len(than):
            means.append([mean(gains) for gains in over])
    return max(means, key=lambda each: sum(g.saved.value for g in each), default=[])


def mostly_below(claim: Claim, cases: Sequence[Observed]) -> Finding:
    """More than half of the gains, one at each point, are below a percentage."""
    found = gains_over(by_point(cases), claim.text("strategy"), claim.names("than"))
    if not found:
        return _lacking(claim)
    limit = claim.number("percent")
    below = sum(g.saved.value < limit for g in found)
    verdict = Verdict.AGREES if 2 * below > len(found) else Verdict.DIFFERS
    largest = max(found, key=lambda g: g.saved.value)
    text = f"{below} of {len(found)} below {limit:g} %; the largest {largest.saved.value:+.1f} %"
    return Finding(verdict, text, "of the time, for each program and number of threads")


Rule = Callable[[Claim, Sequence[Observed]], Finding]
