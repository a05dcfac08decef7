"""How many lines a program's threads have in flight, from the time that it took. Pure but for the
machine's figures."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import exp, log
from typing import Any

from homenode import capi
from homenode.model import Machine, Program, UsedObject
from homenode.tune.program import Seen

LEAST = 1.0
# Lines that are missed before a prefetcher follows a walk: it waits for three equal steps.
LEARNING = 4
# Objects of which such a share is asked for ahead are walked through in parts that end: with less,
# it is not known what the other lines are; with more, ends are rare.
ENDING = (0.45, 0.98)
# Where the machine's file does not say it: of lines that a prefetcher asks for, and of others.
PREFETCHED, MISSES = 24.0, 10.0
HALVINGS = 12
# Above this share of the time that was seen, bandwidth explains it, and more lines change nothing.
EXPLAINED = 0.75


def calibrated(seen: Seen, machine_source: str) -> Program:
    """The program with as many lines in flight as make the model take the time that was seen.

    Of lines that were prefetched there are as many as the machine says, less what other threads
    bring at the time, as far as the time tells. Of the others there are as many as were counted.
    Where nobody counted, there are as few as the time tells, or as many as a core may have where
    bandwidth explains that time.
    """
    program = seen.program
    if seen.time_s is None:
        return program
    machine = Machine(machine_source)
    info = capi.machine(machine_source).get("info") or {}
    ahead, most = (
        _figure(info, "PrefetchedLines", PREFETCHED),
        _figure(info, "OutstandingMisses", MISSES),
    )
    counted = seen.misses_in_flight
    if counted is not None:
        most = min(most, max(LEAST, counted))
    goal = max(seen.time_s - seen.apart_s, 0.0)

    # A prefetcher is so many lines ahead, of which other threads may have brought some: where all
    # walk `together`, the others' share; where each goes its own way, none.
    from_memory = seen.answered or (1.0,) * len(program.objects)

    walked = [_walked(one) for one in program.objects]

    def given(misses: float, together: float = 1.0) -> Program:
        objects = []
        for one, share in zip(walked, from_memory, strict=True):
            waits = one.in_order / max(1.0, ahead * share**together)
            objects.append(replace(one, lines_in_flight=1 / (waits + (1 - one.in_order) / misses)))
        return replace(program, objects=objects)

    def slower(tried: Program) -> bool:
        return machine.predict(tried).time >= goal

    if slower(given(most)) and not slower(given(most, 0.0)):
        return given(most, _largest(lambda together: not slower(given(most, together)), 0.0, 1.0))
    if counted is not None or machine.predict(given(most)).time >= EXPLAINED * goal:
        return given(most)
    if not slower(given(LEAST)):
        return given(LEAST)
    # At `most` the model is too fast, at LEAST slow enough.
    return given(exp(_largest(lambda misses: slower(given(exp(misses))), log(LEAST), log(most))))


def _walked(one: UsedObject) -> UsedObject:
    """The object with how far threads walk through it at a time: the lines that the prefetcher
    learns from are missed, and it asks for the others."""
    ends = ENDING[0] <= one.in_order <= ENDING[1]
    return replace(one, walk_lines=LEARNING / (1 - one.in_order) if ends else 0.0)


def _largest(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The largest number between two for which something holds; it holds for `low`, and up to what
    is looked for."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def _figure(info: Mapping[str, Any], name: str, otherwise: float) -> float:
    """What a machine file declares."""
    return float(info.get(name, otherwise))
