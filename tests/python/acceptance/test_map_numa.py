"""MAP-numa on the paper's machine: 8 nodes, 32 threads, every access counted by the lab."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from homenode.lab import Lab, access_matrix

THREADS = 32
NODES = 8

Matrix = list[list[int]]


Run = Callable[[str, str, str], tuple[Matrix, Any]]


@pytest.fixture(scope="module")
def run_map(hp: Lab, command: str) -> Run:
    """Runs a pattern, an operation and a method, once: the counted node × node matrix of user
    accesses, and what the program says of itself."""

    @cache
    def run(pattern: str, op: str, method: str) -> tuple[Matrix, Any]:
        result = hp.run(
            [command, "bench", "map", "--pattern", pattern, "--op", op, "--method", method,
             "--threads", str(THREADS), "--size", "4M", "--pages", "small", "--json"],
            timeout_s=300,
        )  # fmt: skip
        assert result.status == 0, result.stderr
        assert len(result.rois) == 1
        matrix = [list(row) for row in access_matrix(result.rois, hp.machine).cells]
        return matrix, json.loads(result.stdout)

    return run


def column_shares(matrix: Matrix) -> list[float]:
    total = sum(map(sum, matrix))
    return [sum(row[column] for row in matrix) / total for column in range(len(matrix))]


def local_share(matrix: Matrix) -> float:
    return sum(matrix[i][i] for i in range(len(matrix))) / sum(map(sum, matrix))


@pytest.mark.parametrize("op", ["read", "write"])
class TestDivided:
    def test_default_puts_everything_on_one_node(self, run_map: Run, op: str) -> None:
        matrix, _ = run_map("divided", op, "default")
        assert max(column_shares(matrix)) >= 0.95

    def test_interleaving_flattens(self, run_map: Run, op: str) -> None:
        matrix, _ = run_map("divided", op, "command-line")
        assert max(column_shares(matrix)) <= 1.25 / NODES

    def test_policies_from_inside_make_it_diagonal(self, run_map: Run, op: str) -> None:
        matrix, _ = run_map("divided", op, "api")
        assert local_share(matrix) >= 0.97


@pytest.mark.parametrize("op", ["read", "write"])
class TestInterleaved:
    @pytest.mark.parametrize("method", ["default", "command-line", "api"])
    def test_no_page_placement_heals_it(self, run_map: Run, op: str, method: str) -> None:
        matrix, _ = run_map("interleaved", op, method)
        assert local_share(matrix) <= 0.25

    def test_the_rewrite_heals_it(self, run_map: Run, op: str) -> None:
        matrix, _ = run_map("interleaved", op, "rewrite")
        assert local_share(matrix) >= 0.97


@pytest.mark.parametrize("method", ["default", "command-line", "api", "rewrite"])
def test_counted_and_computed_matrices_agree(run_map: Run, method: str) -> None:
    """Two independent ways to the same truth: the plugin's counts, and pattern × audited pages."""
    matrix, record = run_map("divided", "read", method)
    computed = record["matrices"]["reads"]
    total = sum(map(sum, computed))
    off = sum(abs(matrix[i][j] - computed[i][j]) for i in range(NODES) for j in range(NODES))
    assert off / total <= 0.03
