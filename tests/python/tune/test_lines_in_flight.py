"""homenode.tune.lines_in_flight: from the time that a program took."""

from dataclasses import replace

import pytest
from support.tuned_programs import LINES, PAGES, in_parts, program

from homenode.lab.catalogue import find_file
from homenode.model import Machine, Program
from homenode.tune.lines_in_flight import calibrated
from homenode.tune.program import Seen

SQUARE = str(find_file("quad-4x2"))
PREFETCHED, MISSES = 24.0, 8.0  # As its file says.
LOCAL_S = 113e-9


def lines_in_flight(given: Program, time_s: float | None) -> float:
    found = calibrated(Seen(given, (), (None,), (), time_s), SQUARE)
    return found.objects[0].lines_in_flight


def ordered(given: Program, share: float) -> Program:
    """With this share of its lines prefetched."""
    return replace(given, objects=[replace(given.objects[0], in_order=share)])


@pytest.mark.parametrize("lines", [1.0, 2.0, 5.0])
def test_a_thread_alone_has_as_many_as_its_waiting_tells(lines: float) -> None:
    time_s = 1e-6 + PAGES * LINES * LOCAL_S / lines
    given = ordered(program(in_parts(1)), 0.0)
    assert lines_in_flight(given, time_s) == pytest.approx(lines, rel=0.01)


def test_bandwidth_that_explains_the_time_leaves_what_a_core_may_have() -> None:
    given = program(in_parts())
    time_s = Machine(SQUARE).predict(given).time
    assert lines_in_flight(ordered(given, 0.0), time_s) == pytest.approx(MISSES)


@pytest.mark.parametrize("threads", [1, 8])
def test_what_was_counted_is_taken_whether_bandwidth_explains_the_time_or_not(threads: int) -> None:
    given = ordered(program(in_parts(threads)), 0.0)
    time_s = Machine(SQUARE).predict(given).time
    found = calibrated(Seen(given, (), (None,), (), time_s, misses_in_flight=1.5), SQUARE)
    assert found.objects[0].lines_in_flight == pytest.approx(1.5)


def test_a_prefetcher_is_no_further_ahead_where_others_brought_lines() -> None:
    given = ordered(program(in_parts()), 1.0)
    found = calibrated(Seen(given, (), (None,), (), 1e-3, answered=(0.5,)), SQUARE)
    assert found.objects[0].lines_in_flight == pytest.approx(PREFETCHED / 2)


def test_it_is_further_ahead_where_they_went_other_ways_as_the_time_tells() -> None:
    given = ordered(program(in_parts(1)), 1.0)
    lines = 9.0
    time_s = PAGES * LINES * LOCAL_S / lines
    found = calibrated(Seen(given, (), (None,), (), time_s, answered=(0.25,)), SQUARE)
    assert found.objects[0].lines_in_flight == pytest.approx(lines, rel=0.05)


@pytest.mark.parametrize("time_s", [1e-9, 1.0])
def test_what_was_prefetched_is_no_guess(time_s: float) -> None:
    given = ordered(program(in_parts()), 1.0)
    assert lines_in_flight(given, time_s) == pytest.approx(PREFETCHED)


def test_lines_of_both_kinds_take_their_time_in_sum() -> None:
    given = ordered(program(in_parts()), 0.5)
    assert lines_in_flight(given, 1e-9) == pytest.approx(2 / (1 / PREFETCHED + 1 / MISSES))


@pytest.mark.parametrize(("share", "walk"), [(0.0, 0.0), (0.5, 8.0), (0.75, 16.0), (1.0, 0.0)])
def test_a_walk_is_as_long_as_what_the_prefetcher_missed_of_it_tells(
    share: float, walk: float
) -> None:
    given = ordered(program(in_parts()), share)
    found = calibrated(Seen(given, (), (None,), (), 1e-3), SQUARE)
    assert found.objects[0].walk_lines == pytest.approx(walk)


def test_without_a_time_nothing_changes() -> None:
    assert lines_in_flight(program(in_parts(1)), None) == 24.0
