"""homenode.tune.lines_in_flight: from the time that a program took."""

import numpy as np
import pytest
from support.tuned_programs import LINES, PAGES, in_parts, program

from homenode.lab.catalogue import find_file
from homenode.model import Machine, Program
from homenode.tune.lines_in_flight import MOST_IN_ORDER, MOST_WITHOUT, calibrated, is_random
from homenode.tune.program import Seen

SQUARE = str(find_file("quad-4x2"))
LOCAL_S = 113e-9


def lines_in_flight(given: Program, time_s: float | None) -> float:
    found = calibrated(Seen(given, (), (None,), (), time_s), SQUARE)
    return found.objects[0].lines_in_flight


def one_thread() -> Program:
    return program(in_parts(1))


@pytest.mark.parametrize("lines", [1.0, 2.0, 5.0])
def test_a_thread_alone_has_as_many_as_its_waiting_tells(lines: float) -> None:
    time_s = 1e-6 + PAGES * LINES * LOCAL_S / lines
    assert lines_in_flight(one_thread(), time_s) == pytest.approx(lines, rel=0.01)


def test_bandwidth_that_explains_the_time_leaves_the_most() -> None:
    given = program(in_parts())
    time_s = Machine(SQUARE).predict(given).time
    assert lines_in_flight(given, time_s) == MOST_IN_ORDER


def test_uses_at_random_are_not_asked_for_ahead() -> None:
    chance = np.random.default_rng(1)
    reads = chance.poisson(200, (8, PAGES)).astype(float)
    scattered = program(reads).objects[0]
    assert is_random(scattered)
    assert not is_random(program(in_parts()).objects[0])
    assert lines_in_flight(program(reads), 1e-9) == MOST_WITHOUT


def test_without_a_time_nothing_changes() -> None:
    assert lines_in_flight(one_thread(), None) == 24.0
