"""homenode.tune.weights: no grid of weights is better than the optimised ones."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from homenode import capi
from homenode.lab.catalogue import find_file
from homenode.tune.weights import capacities_of, interleave_weights, weighted, whole_weights


def machine(
    reads: list[list[float]], sources: tuple[int, ...] = (0,), links: str = ""
) -> dict[str, Any]:
    kind = {
        "kind": "read_bandwidth",
        "from": list(sources),
        "to": list(range(len(reads[0]))),
        "values": reads,
    }
    return {"pair_values": [kind], "info": {"Links": links} if links else {}}


def best_of_grid(capacities: Any, columns: list[list[int]], most: int) -> float:
    """The best rate of all weights up to `most`; nodes of one column group have one weight."""
    best = 0.0
    for weights in product(range(most + 1), repeat=len(columns)):
        if not any(weights):
            continue
        shares = np.zeros(len(capacities.memories))
        for group, weight in zip(columns, weights, strict=True):
            shares[group] = weight
        best = max(best, capacities.rate(shares))
    return best


@pytest.mark.parametrize(
    ("name", "groups"),
    [("cxl-3x4", [[0], [1], [2]]), ("xeon-max-8x8", [[0, 2], [1, 3], [4, 6], [5, 7]])],
)
def test_no_weights_of_a_grid_are_better(name: str, groups: list[list[int]]) -> None:
    document = capi.machine(find_file(name))
    capacities = capacities_of(document)
    weights = interleave_weights(document)
    ours = capacities.rate(np.array([weights[node] for node in capacities.memories], float))
    assert ours >= 0.98 * best_of_grid(capacities, groups, 14)


def test_three_controllers_that_differ_give_what_each_can() -> None:
    document = machine([[30000, 20000, 10000]])
    assert interleave_weights(document) == {0: 3, 1: 2, 2: 1}
    capacities = capacities_of(document)
    assert capacities.rate(np.array([3.0, 2.0, 1.0])) == pytest.approx(60000)
    assert 0.98 * best_of_grid(capacities, [[0], [1], [2]], 14) <= 60000


def test_a_path_limits_what_a_distant_memory_is_good_for() -> None:
    # Node 1's threads get 5000 of memory 0, and have half of the bytes: 10000 in all.
    document = machine([[20000, 20000], [5000, 20000]], sources=(0, 1))
    assert interleave_weights(document) == {0: 1, 1: 2}
    assert interleave_weights(document, {0: 4}) == {0: 1, 1: 1}


def test_a_link_that_two_memories_share_limits_their_sum() -> None:
    document = machine([[20000, 10000, 10000]], links="0-1:10000,1-2:10000")
    capacities = capacities_of(document)
    weights = interleave_weights(document)
    assert weights[0] == 2 * (weights[1] + weights[2])
    shares = np.array([weights[node] for node in range(3)], float)
    assert capacities.rate(shares) == pytest.approx(30000)


def test_of_weights_that_are_as_good_the_most_even_are_taken() -> None:
    assert set(interleave_weights(capi.machine(find_file("epyc-nps4-8x4"))).values()) == {1}


def test_weights_are_small_and_leave_out_what_is_not_worth_a_page() -> None:
    assert whole_weights(np.array([0.5, 0.5])) == [1, 1]
    assert whole_weights(np.array([0.999, 0.001])) == [1, 0]
    assert weighted({0: 3, 1: 0, 4: 1}) == "weighted:3,1@0,4"


def test_a_machine_without_bandwidths_has_no_weights() -> None:
    with pytest.raises(ValueError, match="homenode measure"):
        interleave_weights({"pair_values": []})
