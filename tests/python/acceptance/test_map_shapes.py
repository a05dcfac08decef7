"""MAP-numa over matrices and cubes, and in phases: what each method can do, counted by the lab."""

import json
from typing import Any

import pytest

from homenode.lab import Lab, access_matrix
from homenode.matrix import hottest_share, local_share
from homenode.report.penalty import penalty_factor
from homenode.study.lab_runner import machine_from
from homenode.study.machine import Machine

Matrix = list[list[int]]
LONG_ROWS = "64x512"  # A row is 8 pages: two for each node's columns.
SHORT_ROWS = "2048x16"  # A page is 4 rows.
CUBE = "32x16x64"  # A page is a row along x.
FLAT = 1.25 / 4


def run_map(
    lab: Lab, command: str, pattern: str, shape: str, method: str
) -> tuple[list[Matrix], Any]:
    """The counted matrix of each phase, and what the program says of itself."""
    result = lab.run(
        [command, "bench", "map", "--pattern", pattern, "--shape", shape, "--method", method,
         "--threads", "8", "--pages", "small", "--json"],
        timeout_s=300,
    )  # fmt: skip
    assert result.status == 0, result.stderr
    matrices = [
        [list(row) for row in access_matrix([roi], lab.machine).cells] for roi in result.rois
    ]
    said = json.loads(result.stdout)
    assert len(matrices) == len(said["phases"])
    return matrices, said


@pytest.mark.parametrize(
    ("pattern", "shape", "method"),
    [
        ("2d-columns", SHORT_ROWS, "rewrite"),
        ("3d-blocks", CUBE, "api"),
    ],
)
def test_parts_come_home(quad: Lab, command: str, pattern: str, shape: str, method: str) -> None:
    (matrix,), said = run_map(quad, command, pattern, shape, method)
    assert local_share(matrix) >= 0.97
    assert said["local_share"] == 1
    assert said["penalty"] == {"observed": 1, "expected": 1, "leakage": 0}


@pytest.mark.parametrize(("pattern", "shape"), [("2d-columns", SHORT_ROWS), ("3d-slabs-x", CUBE)])
def test_no_page_has_one_owner_where_short_rows_are_cut(
    quad: Lab, command: str, pattern: str, shape: str
) -> None:
    (matrix,), said = run_map(quad, command, pattern, shape, "api")
    assert local_share(matrix) <= 0.3 and hottest_share(matrix) <= FLAT
    counted = penalty_factor(matrix, as_study(quad))
    assert counted is not None
    assert said["penalty"]["leakage"] == pytest.approx(counted - 1, abs=0.03)


@pytest.mark.parametrize("method", ["default", "command-line", "api", "rewrite"])
def test_phases_are_healed_by_acting_between_them(quad: Lab, command: str, method: str) -> None:
    (rows, columns, shared), said = run_map(quad, command, "multi-patterns", LONG_ROWS, method)
    changes = [phase["change"] for phase in said["phases"]]
    if method in ("api", "rewrite"):
        assert min(local_share(rows), local_share(columns)) >= 0.97
        assert hottest_share(shared) <= FLAT
        did = "moved" if method == "api" else "copied"
        assert changes[0] is None and [change["did"] for change in changes[1:]] == [did, did]
        assert min(change["pages"] for change in changes[1:]) > 0
        assert said["penalty"]["leakage"] == pytest.approx(0, abs=0.01)
        return
    assert changes == [None, None, None]
    crowd = [hottest_share(matrix) for matrix in (rows, columns, shared)]
    assert min(crowd) >= 0.95 if method == "default" else max(crowd) <= FLAT
    assert max(local_share(rows), local_share(columns)) <= 0.3


def as_study(lab: Lab) -> Machine:
    """The lab's machine as studies and reports know it."""
    return machine_from(lab.machine, "")
