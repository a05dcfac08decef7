"""NPB under every strategy on four nodes: right results, and pages where the strategy says."""

import json
import shlex
from typing import Any

import pytest

from homenode.lab import Lab

STRATEGIES = ["first-touch", "parallel-init", "round-robin", "memory-bind"]
# The kernels whose smallest class takes seconds on emulated processors.
KERNELS = ["mg", "is", "cg"]


@pytest.fixture(scope="module")
def runs(quad: Lab, command: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Every kernel under every strategy, in one program of the guest."""
    pairs = [(kernel, strategy) for kernel in KERNELS for strategy in STRATEGIES]
    lines = [
        shlex.join([command, "bench", "npb", kernel, "--threads", "8"])
        + f" --strategy {strategy} --json || exit 1"
        for kernel, strategy in pairs
    ]
    # Threads that wait give their processor to those that work: there are more than the host has.
    script = "export OMP_WAIT_POLICY=passive\n" + "\n".join(lines)
    result = quad.run(["sh", "-c", script], timeout_s=600)
    assert result.status == 0, result.stderr
    answers = result.stdout.decode().splitlines()
    return {pair: json.loads(line) for pair, line in zip(pairs, answers, strict=True)}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_is_right_on_the_cpus_of_its_strategy(
    runs: dict[tuple[str, str], dict[str, Any]], kernel: str, strategy: str
) -> None:
    report = runs[kernel, strategy]
    assert all(run["verified"] for run in report["runs"])
    assert [place["cpu"] for place in report["thread_places"]] == list(range(8))


def nodes_of(report: dict[str, Any], array: str) -> dict[str, int]:
    pages: dict[str, int] = report["runs"][0]["pages"][array]["nodes"]
    return pages


@pytest.mark.parametrize("kernel", KERNELS)
def test_arrays_are_where_the_strategy_puts_them(
    runs: dict[tuple[str, str], dict[str, Any]], kernel: str
) -> None:
    array = {"mg": "u", "is": "keys", "cg": "a"}[kernel]
    assert set(nodes_of(runs[kernel, "first-touch"], array)) == {"0"}
    for strategy in ("parallel-init", "round-robin"):
        counts = nodes_of(runs[kernel, strategy], array)
        assert set(counts) == {"0", "1", "2", "3"}
        assert max(counts.values()) - min(counts.values()) <= 1
    assert set(nodes_of(runs[kernel, "memory-bind"], array)) <= {"0", "1", "2", "3"}
