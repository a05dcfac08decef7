"""How many lines a program's threads have in flight, from the time that it took. Pure but for the
machine's figures."""

from dataclasses import replace

import numpy as np

from homenode.model import Machine, Program, UsedObject
from homenode.tune.program import Seen

LEAST = 1.0
# Of a thread that walks in order, for which prefetchers ask ahead, and of one that does not.
MOST_IN_ORDER, MOST_WITHOUT = 24.0, 10.0
HALVINGS = 12
# Above this share of the time that was seen, bandwidth explains it, and more lines change nothing.
EXPLAINED = 0.75
# Who walks through memory uses neighbouring pages equally often, but where a walk ends.
ALIKE, FEWEST_ALIKE = 0.02, 0.4
FEWEST_PAGES = 8


def calibrated(seen: Seen, machine_source: str) -> Program:
    """The program with as many lines in flight as make the model take the time that was seen. Where
    bandwidth explains that time, it gets the most that its way of using memory allows."""
    program = seen.program
    if seen.time_s is None:
        return program
    machine = Machine(machine_source)
    goal = seen.time_s
    most = [MOST_WITHOUT if is_random(one) else MOST_IN_ORDER for one in program.objects]

    def given(lines: float) -> Program:
        objects = [
            replace(one, lines_in_flight=min(lines, limit))
            for one, limit in zip(program.objects, most, strict=True)
        ]
        return replace(program, objects=objects)

    if machine.predict(given(max(most))).time >= EXPLAINED * goal:
        return given(max(most))
    low, high = LEAST, max(most)  # At `high` the model is too fast, at `low` slow enough.
    if machine.predict(given(low)).time < goal:
        return given(low)
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        if machine.predict(given(middle)).time >= goal:
            low = middle
        else:
            high = middle
    return given(low)


def is_random(used: UsedObject) -> bool:
    """Whether threads use neighbouring pages as often as chance has it, and not equally often."""
    alike, weights = [], []
    for row in used.reads:
        pages = row[row > 0]
        if len(pages) >= FEWEST_PAGES:
            alike.append(float((np.abs(np.diff(pages)) <= ALIKE * pages[1:]).mean()))
            weights.append(float(pages.sum()))
    return bool(alike) and float(np.average(alike, weights=weights)) < FEWEST_ALIKE
