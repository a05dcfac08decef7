"""The daemon stress test on a kernel with four nodes: memory starts where its threads are."""

import json
from typing import Any

import pytest

from homenode.lab import Lab

STRESS = "bench stress --block 1m --cycles 3 --hold 0 --interval 60 --json"
PAGES_OF_NODE = 2 * 256  # Two threads with a block of 1 MiB each.


@pytest.fixture(scope="module")
def reports(quad: Lab, command: str) -> dict[str, Any]:
    lines = {
        "1": f"{command} {STRESS} --pattern 1",
        "2": f"{command} {STRESS} --pattern 2 --op write",
        "bound": f"{command} {STRESS} --pattern random --first-touch bound",
        "membind": f"{command} run --membind=1,3 -- {command} {STRESS} --pattern 2",
    }
    result = quad.run(["sh", "-c", "; ".join(lines.values())], timeout_s=300)
    assert result.status == 0, result.stderr
    found = [json.loads(line) for line in result.stdout.decode().splitlines()]
    return dict(zip(lines, found, strict=True))


@pytest.mark.parametrize("name", ["1", "2", "bound"])
def test_each_block_starts_on_its_threads_node(reports: dict[str, Any], name: str) -> None:
    first = reports[name]["samples"][0]
    assert first["pages_on_node"] == {str(node): PAGES_OF_NODE for node in range(4)}


@pytest.mark.parametrize("name", ["1", "2"])
def test_no_use_is_local_at_the_start(reports: dict[str, Any], name: str) -> None:
    assert reports[name]["samples"][0]["local_share"] == 0


def test_membind_keeps_all_pages_on_its_nodes(reports: dict[str, Any]) -> None:
    for sample in reports["membind"]["samples"]:
        assert set(sample["pages_on_node"]) <= {"1", "3"}


def test_targets_are_those_of_the_pattern(reports: dict[str, Any]) -> None:
    assert reports["1"]["options"]["map"] == {"0": 1, "1": 2, "2": 3, "3": 0}
    assert reports["2"]["options"]["map"] == {"0": 2, "1": 2, "2": 0, "3": 0}


def test_nothing_moves_when_nobody_moves_it(reports: dict[str, Any]) -> None:
    for report in reports.values():
        assert report["surroundings"] == {"kernel_balancing": 0, "numad": False}
        assert report["moves"]["moves"] == 0
        assert report["cycles"] == [3] * 8


@pytest.fixture(scope="module")
def modes(quad: Lab, command: str) -> dict[str, Any]:
    balancing = "cat /proc/sys/kernel/numa_balancing"
    test = f"{command} {STRESS} --pattern 1 --modes kernel,plain,membind,balance --membind 1,3"
    result = quad.run(["sh", "-c", f"{balancing} && {test} && {balancing}"], timeout_s=300)
    assert result.status == 0, result.stderr
    before, comparison, after = result.stdout.decode().splitlines()
    return {"before": before, "after": after, **json.loads(comparison)}


def test_each_mode_has_the_daemons_that_it_is_about(modes: dict[str, Any]) -> None:
    found = {each["mode"]: each["report"]["surroundings"] for each in modes["modes"]}
    assert found["kernel"] == {"kernel_balancing": 1, "numad": False}
    assert found["plain"] == {"kernel_balancing": 0, "numad": False}
    assert found["membind"] == {"kernel_balancing": 0, "numad": False}
    assert found["balance"] == {"kernel_balancing": 0, "numad": False}


def test_the_kernels_balancing_is_afterwards_as_it_was(modes: dict[str, Any]) -> None:
    assert modes["before"] == modes["after"]


def test_the_mode_membind_binds_to_its_nodes(modes: dict[str, Any]) -> None:
    report = next(each["report"] for each in modes["modes"] if each["mode"] == "membind")
    for sample in report["samples"]:
        assert set(sample["pages_on_node"]) <= {"1", "3"}


def test_a_test_that_is_killed_switches_the_balancing_back(quad: Lab, command: str) -> None:
    # The keeper holds the pipe's writing end until it has tidied up: cat sees the end then.
    line = (
        "cat /proc/sys/kernel/numa_balancing; "
        f"{{ timeout -s KILL 3 {command} bench stress --block 1m --seconds 100 --modes kernel; }} "
        "2>/dev/null | cat; cat /proc/sys/kernel/numa_balancing"
    )
    result = quad.run(["sh", "-c", line], timeout_s=300)
    before, after = result.stdout.decode().split()
    assert before == after
