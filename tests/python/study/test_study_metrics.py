"""A workload's figures: where they stand in its JSON and whose clock they hang on."""

from typing import Any

import pytest
from synthetic import QUAD, add_time, counts_line

from homenode.study.description import describe
from homenode.study.metrics import Figure, figures_of, find_values

BENCH = {
    "schema": "homenode.bench.stream/2",
    "runs": [
        {"seconds": 2.0, "rate": 30.0, "operations": 60e6},
        {"seconds": 3.0, "rate": 20.0, "operations": 60e6},
    ],
}
LINES = [[10, 0, 0, 0] for _ in range(4)]


def counted(regions: int, *, timed: bool) -> list[dict[str, Any]]:
    lines = [counts_line(QUAD, LINES, LINES) for _ in range(regions)]
    for line in lines if timed else ():
        add_time(line, QUAD, LINES)
    return lines


def test_a_path_finds_numbers_and_says_when_there_are_none() -> None:
    assert find_values(BENCH, "/runs/*/rate") == [30.0, 20.0]
    assert find_values({"a": {"b": 3}}, "/a/b") == [3.0]
    for path in ("/runs/*/speed", "/rate", "/runs/rate"):
        with pytest.raises(ValueError, match="no number at"):
            find_values(BENCH, path)


@pytest.mark.parametrize(("real", "said"), [(True, "measured"), (False, "emulated")])
def test_without_the_labs_time_the_programs_own_clock_stands(real: bool, said: str) -> None:
    for counts in (None, [], counted(2, timed=False), counted(1, timed=True)):
        found = figures_of(describe("stream"), BENCH, counts, real_clock=real)
        assert found["rate"] == Figure(said, "MB/s", (30.0, 20.0))
        assert found["seconds"] == Figure(said, "s", (2.0, 3.0))


def test_the_one_time_of_a_report_is_that_of_its_region() -> None:
    report = {
        "schema": "homenode.bench.stress/2",
        "seconds": {"wall": 40.0},
        "samples": [{"local_share": 0.5}],
        "moves": {"pages_moved": 3, "moves": 4, "useless": 1},
    }
    counts = counted(1, timed=True)
    found = figures_of(describe("stress"), report, counts, real_clock=False)
    assert found["seconds"].provenance == "modelled"
    assert found["seconds"].values[0] < 1e-6
    assert found["moves"] == Figure("observed", "moves", (4.0,))


def test_rates_follow_from_the_labs_time_of_each_region() -> None:
    found = figures_of(describe("stream"), BENCH, counted(2, timed=True), real_clock=False)
    # 40 lines at 1 ns each from one controller, 10 of them at 0.1 ns more: see synthetic.py.
    seconds = found["seconds"].values[0]
    assert found["seconds"].provenance == found["rate"].provenance == "modelled"
    assert 4e-8 <= seconds <= 5e-8
    assert found["rate"].values == (pytest.approx(60 / seconds), pytest.approx(60 / seconds))


def test_what_no_clock_has_a_part_in_is_observed() -> None:
    bench = {
        "seconds": {"wall": 1.5},
        "samples": [{"local_share": 0.0}, {"local_share": 0.25}],
        "moves": {"pages_moved": 7, "moves": 8, "useless": 2},
    }
    found = figures_of(describe("stress"), bench, None, real_clock=False)
    assert found["local_share"] == Figure("observed", "", (0.0, 0.25))
    assert found["seconds"].provenance == "emulated"


def test_a_figure_is_the_same_after_json() -> None:
    figure = Figure("modelled", "MB/s", (1.0, 2.5))
    assert Figure.from_json(figure.to_json()) == figure
