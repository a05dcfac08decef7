"""When a program used what: use in equal steps of time, and the phases that it went through. Pure.

Steps that use the same objects from the same places are one phase. Neighbours are joined as long
as they differ little, the most alike first, and until there are few enough to be read.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from homenode.profile.correlation import Floats
from homenode.profile.facts import Facts, Integers
from homenode.profile.values import Phase, Timeline

STEPS = 120
SAMPLES_PER_STEP = 20
DIFFERENT = 0.5  # Of at most 2: how far the shares of two phases are apart.
MOST_PHASES = 8
LEAST_OF_PHASE = 0.03  # Of all use.
OBJECTS = 6
NS_PER_S = 1e9


def _steps(facts: Facts) -> tuple[Integers, int, float] | None:
    """The step of each sample, how many there are and how long one is; None without times."""
    times = facts.samples["time_ns"]
    if len(times) < 2:
        return None
    begin = int(times.min())
    span = int(times.max()) - begin
    if span <= 0:
        return None
    count = int(min(STEPS, max(1, len(times) // SAMPLES_PER_STEP)))
    along = (times - np.uint64(begin)).astype(np.float64) / span
    return np.minimum((along * count).astype(np.int64), count - 1), count, span / count / NS_PER_S


def _sums(facts: Facts, step: Integers, count: int, chosen: np.ndarray) -> Floats:
    summed = np.bincount(step[chosen], weights=facts.weight[chosen], minlength=count)
    return summed.astype(np.float64)


def _distance(one: Floats, other: Floats, least: float) -> float:
    """Between the shares of two parts of the time. One that makes less than `least` use is the less
    a phase of its own, the less use it makes."""
    fewer = min(float(one.sum()), float(other.sum()))
    if fewer <= 0:
        return 0.0
    apart = float(np.abs(one / one.sum() - other / other.sum()).sum())
    return apart * min(1.0, fewer / least)


def _joined(features: Floats) -> list[tuple[int, int]]:
    """The phases as [begin, end) of steps, from the use [feature, step]."""
    spans = [(at, at + 1) for at in range(features.shape[1])]
    parts = [features[:, at] for at in range(features.shape[1])]
    least = LEAST_OF_PHASE * float(features.sum())
    apart = [_distance(a, b, least) for a, b in pairwise(parts)]
    while apart and (min(apart) < DIFFERENT or len(spans) > MOST_PHASES):
        at = int(np.argmin(apart))
        spans[at : at + 2] = [(spans[at][0], spans[at + 1][1])]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        apart.pop(at)
        for edge in (at - 1, at):
            if 0 <= edge < len(apart):
                apart[edge] = _distance(parts[edge], parts[edge + 1], least)
    return spans


def timeline(facts: Facts, listed: Sequence[int]) -> Timeline | None:
    """The use over time; `listed`: the profile's objects by their index in the attribution.

    None where the source does not say when what was used.
    """
    found = _steps(facts)
    if found is None or float(facts.weight.sum()) <= 0:
        return None
    step, count, length = found
    local = _sums(facts, step, count, facts.local)
    remote = _sums(facts, step, count, facts.placed & ~facts.local)
    unknown = _sums(facts, step, count, ~facts.placed)
    rows = [_sums(facts, step, count, facts.object_of == index) for index in listed]
    by_object = np.array(rows).reshape(len(rows), count)
    order = np.argsort(-by_object.sum(axis=1), kind="stable")[:OBJECTS]
    of_use = np.vstack([local, remote, unknown]) * 0.5
    phases = []
    for begin, end in _joined(np.vstack([by_object, of_use])):
        near, far = float(local[begin:end].sum()), float(remote[begin:end].sum())
        used = by_object[:, begin:end].sum(axis=1)
        most = [int(i) for i in np.argsort(-used, kind="stable")[:3] if used[i] > 0]
        share = near / (near + far) if near + far > 0 else None
        phases.append(Phase(begin * length, end * length, share, tuple(most)))
    return Timeline(
        step_s=length,
        local=local,
        remote=remote,
        unknown=unknown,
        objects=tuple(int(index) for index in order),
        by_object=by_object[order],
        phases=tuple(phases),
    )
