"""The plugin's lines become node x node matrices, exactly."""

import pytest
from synthetic import QUAD, counts_line

from homenode.matrix import AccessMatrix, hottest_share, local_share
from homenode.node import Node
from homenode.study.counts import node_matrix
from homenode.study.machine import Machine

READS = [[10 * r + c for c in range(4)] for r in range(4)]
WRITES = [[r == c for c in range(4)] for r in range(4)]


def as_tuples(rows: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(c) for c in row) for row in rows)


def test_rows_are_the_nodes_of_the_virtual_cpus() -> None:
    matrix = node_matrix([counts_line(QUAD, READS, as_tuples(WRITES))], QUAD)
    assert (matrix.provenance, matrix.nodes) == ("exact", (0, 1, 2, 3))
    assert matrix.reads == as_tuples(READS) and matrix.writes == as_tuples(WRITES)
    assert AccessMatrix.from_json(matrix.to_json()) == matrix


def test_regions_add_up_and_privileges_stay_apart() -> None:
    line = counts_line(QUAD, READS, as_tuples(WRITES))
    twice = node_matrix([line, line], QUAD)
    assert twice.reads == tuple(tuple(2 * c for c in row) for row in READS)
    kernel = node_matrix([line], QUAD, "kernel")
    assert kernel.reads == ((14,) * 4,) * 4  # Two CPUs a node, seven loads each.


def test_sparse_node_ids_keep_their_names() -> None:
    sparse = Machine("s", "d", "lab", (Node(0, (0,), 1), Node(5, (1,), 1)), ())
    line = counts_line(sparse, [[1, 2], [3, 4]], [[0, 0], [0, 0]])
    assert node_matrix([line], sparse).nodes == (0, 5)
    line["nodes"] = [0, 1, 5]
    for vcpu in line["vcpus"]:
        vcpu["user"] = {"loads": [1, 0, 2], "stores": [0, 0, 0]}
    assert node_matrix([line], sparse).reads == ((1, 2), (1, 2))


def test_counts_of_another_machine_are_refused() -> None:
    line = counts_line(QUAD, READS, as_tuples(WRITES))
    small = Machine("small", "d", "lab", QUAD.nodes[:2], ())
    with pytest.raises(ValueError, match=r"is not in any node|machine does not have"):
        node_matrix([line], small)
    with pytest.raises(ValueError, match="schema"):
        node_matrix([line | {"schema": "other"}], QUAD)


def test_shares_by_value() -> None:
    diagonal = [[4, 0], [0, 4]]
    assert (local_share(diagonal), hottest_share(diagonal)) == (1.0, 0.5)
    column = [[4, 0], [4, 0]]
    assert (local_share(column), hottest_share(column)) == (0.5, 1.0)
    assert (local_share([[0, 0], [0, 0]]), hottest_share([[0, 0], [0, 0]])) == (0.0, 0.0)


def test_a_matrix_that_is_not_square_is_refused() -> None:
    bad = {"provenance": "computed", "nodes": [0, 1], "reads": [[1, 2]], "writes": [[1, 2], [3, 4]]}
    with pytest.raises(ValueError, match="2 rows and columns"):
        AccessMatrix.from_json(bad)


def test_readwrite_counts_both() -> None:
    matrix = AccessMatrix("exact", (0, 1), ((1, 2), (3, 4)), ((10, 20), (30, 40)))
    assert matrix.of("read") == ((1, 2), (3, 4))
    assert matrix.of("write") == ((10, 20), (30, 40))
    assert matrix.of("readwrite") == ((11, 22), (33, 44))
