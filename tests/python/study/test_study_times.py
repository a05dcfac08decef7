"""The time of a run: from the plugin's counts or the host's clock, to the record and back."""

from typing import Any

import pytest
from synthetic import QUAD, add_time, counts_line

from homenode.study.times import RunTime, measured_time, modelled_time

CELLS = [[300, 0, 0, 0], [100, 0, 0, 0], [0, 0, 40, 0], [0, 0, 0, 0]]


def timed_line() -> dict[str, Any]:
    line = counts_line(QUAD, CELLS, CELLS)
    add_time(line, QUAD, CELLS)
    return line


def test_modelled_time_is_the_sum_of_the_regions_with_what_explains_it() -> None:
    ps = 400 * 1000 + 100 * 100
    once = modelled_time([timed_line()], QUAD)
    assert once == RunTime("modelled", ps / 1e12, 340 / 440, (0, 400_000 / ps), 0, 0.0)
    twice = modelled_time([timed_line(), timed_line()], QUAD)
    assert twice == RunTime("modelled", 2 * ps / 1e12, 340 / 440, (0, 400_000 / ps), 0, 0.0)


def test_lines_from_other_caches_are_a_share_of_all_lines() -> None:
    line = timed_line()
    line["vcpus"][0]["time"]["cache_to_cache"] = 110
    time = modelled_time([line], QUAD)
    assert time is not None and time.from_caches == 110 / 550


def test_without_a_model_or_without_a_region_there_is_no_time() -> None:
    untimed = counts_line(QUAD, CELLS, CELLS)
    assert modelled_time([untimed], QUAD) is None
    assert modelled_time([timed_line(), untimed], QUAD) is None
    assert modelled_time([], QUAD) is None


def test_without_traffic_nothing_is_said_of_the_memory() -> None:
    line = timed_line()
    for vcpu in line["vcpus"]:
        vcpu["time"]["memory_reads"] = [0, 0, 0, 0]
    line["time"]["controllers"] = []
    time = modelled_time([line], QUAD)
    assert time is not None and (time.local_read_share, time.busiest_controller) == (None, None)
    assert RunTime.from_json(time.to_json()) == time


def test_counts_of_another_machine_are_refused() -> None:
    line = timed_line()
    line["vcpus"][0]["vcpu"] = 99
    with pytest.raises(KeyError):
        modelled_time([line], QUAD)


def test_measured_time_is_what_the_program_printed() -> None:
    assert measured_time({"seconds": {"wall": 0.5}}) == RunTime("measured", 0.5)
    assert measured_time({"seconds": {"wall": 0.0}}) is None
    assert measured_time({}) is None


@pytest.mark.parametrize(
    "time",
    [RunTime("modelled", 0.002721, 0.25, (3, 0.5), 7, 0.75), RunTime("measured", 0.25), None],
)
def test_reading_what_was_written_gives_the_same(time: RunTime | None) -> None:
    assert RunTime.from_json(time and time.to_json()) == time


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"measured_s": 0},
        {"measured_s": float("nan")},
        {"measured_s": []},
        {"modelled_ps": 0, "local_read_share": 1, "busiest_controller": None, "late_waits": 0},
        {"modelled_ps": 5, "local_read_share": 1, "busiest_controller": {"a": 1}, "late_waits": 0},
    ],
)
def test_what_is_no_time_is_refused(odd: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        RunTime.from_json(odd)
