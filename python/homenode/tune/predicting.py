"""Predictions of candidates, the best first. Pure but for the machine's figures."""

import math
from collections.abc import Sequence
from dataclasses import replace

from homenode.capi import HomenodeError
from homenode.model import Machine, Program
from homenode.tune.candidate import Candidate
from homenode.tune.candidates import NOT_MODELLED

# Relative error to expect: as ./dev bench tune has found it, in docs/the-model.md.
SURE = {"queues": 0.2, "both": 0.2, "bandwidth": 0.3, "latency": 0.3, "distance": 0.5}

# What is predicted to gain less than the models err is no reason to change anything.
LEAST_GAIN = 0.05
# Nor is what is told to be so little better a reason to change more.
ALIKE = 0.01


def first_choice(found: Sequence[Candidate]) -> Candidate:
    """What the models alone would take: the best, or of several about as good the one that changes
    least; where nothing gains enough the program as it is, which stands first."""
    known = sorted((one for one in found if one.predicted is not None), key=_time)
    if not known or _time(known[0]) > 1 - LEAST_GAIN:
        return found[0]
    return _least_changed(known)


def by_promise(known: Sequence[Candidate]) -> list[Candidate]:
    """Those with predictions in the order in which they are worth a run: by predicted time, but one
    of each way to place memory before others of that way, as the models err alike about these. That
    holds as long as it could be the best of all, by what the models err."""
    ordered = sorted(known, key=_time)
    ways: dict[object, list[Candidate]] = {}
    for one in ordered:
        ways.setdefault(one.memory, []).append(one)
    first = [_least_changed(way) for way in ways.values() if _may_win(way[0], ordered[0])]
    return [*first, *(one for one in ordered if one not in first)]


def _least_changed(ordered: Sequence[Candidate]) -> Candidate:
    """The first, or of several that are about as good the one that changes least."""
    alike = (one for one in ordered if _time(one) <= _time(ordered[0]) * (1 + ALIKE))
    return min(alike, key=lambda one: len(one.options))


def _time(one: Candidate) -> float:
    return math.inf if one.predicted is None else one.predicted


def _may_win(one: Candidate, best: Candidate) -> bool:
    """Whether it could be faster than the best, were both predicted as wrongly as is usual."""
    sure = one.sure or 0.0
    return _time(one) * (1 - sure) <= _time(best) * (1 + sure)


def predicted(
    candidates: Sequence[Candidate],
    machine_source: str,
    program: Program,
    model: str | None = None,
    *,
    apart_s: float = 0.0,
    time_s: float | None = None,
) -> list[Candidate]:
    """As `all_predicted`, but one of several that give every thread and page the same node."""
    found, others = all_predicted(
        candidates, machine_source, program, model, apart_s=apart_s, time_s=time_s
    )
    return [one for one in found if one.name not in others]


def all_predicted(
    candidates: Sequence[Candidate],
    machine_source: str,
    program: Program,
    model: str | None = None,
    *,
    apart_s: float = 0.0,
    time_s: float | None = None,
) -> tuple[list[Candidate], set[str]]:
    """The same with their predicted times, relative to the first one's, the program as it is, which
    stays first; then by predicted time. Those that the model cannot judge come last. And the names
    of those that give every thread and page the same node as one before them. `apart_s` passes
    whatever the placement is, and so does, unless threads are independent, what the model leaves
    unexplained of `time_s`, which the program took: they wait for each other."""
    machine = Machine(machine_source)
    found: list[Candidate] = []
    unknown: list[Candidate] = []
    base: float | None = None
    seen: set[tuple[object, ...]] = set()
    others: set[str] = set()
    for one in candidates:
        if any(option in NOT_MODELLED for option in one.options):
            unknown.append(one)
            continue
        try:
            answer = machine.predict(program, one.threads, dict(one.memory), model)
        except HomenodeError:
            unknown.append(one)
            continue
        if base is None:
            base = answer.time
            if time_s is not None and answer.unit == "s" and not program.independent:
                apart_s = max(apart_s, time_s - base)
        # Equal to the last digit in every thread: the same placement by another name.
        key = (answer.time, answer.thread_times, str(answer.raw.get("traffic")))
        if key in seen and one.options:
            others.add(one.name)
        seen.add(key)
        relative = (answer.time + apart_s) / (base + apart_s) if base > 0 else 1.0
        found.append(
            replace(
                one,
                predicted=relative,
                sure=SURE.get(answer.model),
                bottleneck=answer.bottleneck,
            )
        )
    return found[:1] + sorted(found[1:], key=_time) + unknown, others
