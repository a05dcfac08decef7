"""How many lines a program's threads have in flight, from the time that it took. Pure but for the
machine's figures."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from homenode import capi
from homenode.model import Machine, Program
from homenode.tune.program import Seen

LEAST = 1.0
# Where the machine's file does not say it: of lines that a prefetcher asks for, and of others.
PREFETCHED, MISSES = 24.0, 10.0
HALVINGS = 12
# Above this share of the time that was seen, bandwidth explains it, and more lines change nothing.
EXPLAINED = 0.75


def calibrated(seen: Seen, machine_source: str) -> Program:
    """The program with as many lines in flight as make the model take the time that was seen.

    Of lines that were prefetched there are as many as the machine says. Of the others there are as
    few as the time tells, or as many as a core may have where bandwidth explains that time.
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
    goal = max(seen.time_s - seen.apart_s, 0.0)

    # A prefetcher is so many lines ahead, of which other threads may have brought some.
    from_memory = seen.answered or (1.0,) * len(program.objects)

    def given(misses: float) -> Program:
        objects = []
        for one, share in zip(program.objects, from_memory, strict=True):
            waits = one.in_order / max(1.0, ahead * share) + (1 - one.in_order) / misses
            objects.append(replace(one, lines_in_flight=1 / waits))
        return replace(program, objects=objects)

    if machine.predict(given(most)).time >= EXPLAINED * goal:
        return given(most)
    low, high = LEAST, most  # At `high` the model is too fast, at `low` slow enough.
    if machine.predict(given(low)).time < goal:
        return given(low)
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        if machine.predict(given(middle)).time >= goal:
            low = middle
        else:
            high = middle
    return given(low)


def _figure(info: Mapping[str, Any], name: str, otherwise: float) -> float:
    """What a machine file declares."""
    return float(info.get(name, otherwise))
