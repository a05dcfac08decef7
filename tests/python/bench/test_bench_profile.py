"""The comparison of sampled with counted matrices: what it compares, and how it goes on."""

import json
from pathlib import Path

import numpy as np
import profile_sources as bench
import pytest

from homenode.lab.counts import Accesses, Roi, Thread


def roi(*threads: tuple[int | None, list[int], list[int]]) -> Roi:
    counted = tuple(
        Thread(rank, (0,), Accesses(tuple(loads), tuple(stores))) for rank, loads, stores in threads
    )
    return Roi(1, "marker", True, (0, 2), (), counted, {})


def test_regions_add_up_and_writes_are_stores_alone() -> None:
    rois = [roi((1, [1, 2], [3, 4]), (None, [9, 9], [9, 9])), roi((0, [5, 0], [0, 6]))]
    rois.append(roi((1, [1, 0], [0, 1])))
    assert bench.counted(rois, (0, 1, 2), writes=False).tolist() == [[5, 0, 6], [5, 0, 7]]
    assert bench.counted(rois, (0, 1, 2), writes=True).tolist() == [[0, 0, 6], [3, 0, 5]]


def test_distances_are_between_shares() -> None:
    exact = np.array([[10.0, 0], [5, 5], [1, 0]])
    sampled = np.array([[0.0, 3], [1, 3], [0, 0]])
    seen = np.array([True, True, False])
    assert bench.distances(sampled, exact, seen).tolist() == [2, 0.5]


def test_a_draw_is_the_same_for_a_seed_and_a_part_of_all() -> None:
    options = bench.parser().parse_args(["--draw", "4", "--seed", "7", "--source", "pkeys"])
    drawn = bench.wanted(options)
    assert drawn == bench.wanted(options)
    assert len(drawn) == 4
    every = bench.wanted(bench.parser().parse_args(["--source", "pkeys"]))
    assert {program.name for _, program in drawn} < {program.name for _, program in every}


def test_rows_that_were_kept_are_not_run_again(tmp_path: Path) -> None:
    row = {"machine": "m", "source": "pkeys", "program": "npb cg", "error": "e", "seconds": 1.0}
    (tmp_path / "rows").write_text(json.dumps(row) + "\n")
    assert bench.kept(tmp_path / "rows") == {("m", "pkeys", "npb cg"): row}
    assert bench.kept(tmp_path / "none") == {}


@pytest.mark.parametrize("source", bench.SOURCES)
def test_the_summary_names_the_goal_and_leaves_failures_out(source: str) -> None:
    rows = [
        {"source": source, "plain": 0.2, "weighed": 0.04},
        {"source": source, "plain": 0.4, "weighed": 0.2},
        {"source": source, "error": "status 1"},
    ]
    (line,) = bench.summaries(rows)
    assert f"1 of 2 within {bench.GOALS[source]:.2f}" in line
    assert "mean 0.120 by exposure, 0.300 plain" in line
