"""numa-mem on a kernel with four nodes: processes and threads are where the options say."""

import json
from typing import Any

import pytest

from homenode.lab import Lab

NUMA_MEM = "bench numa-mem -G 0.5 -P 1 -T 0.5 -l 2 -s 0 --json"
PAGES_OF_MIB = 256

LINES = {
    "bound": f"{NUMA_MEM} -p 2 -t 2 -C 6,7,0,1 -M 1x2,2x2",
    "memory-bind": f"{NUMA_MEM} -p 4 -t 2 --strategy memory-bind",
    "round-robin": f"{NUMA_MEM} -p 2 -t 2 --strategy round-robin",
    "cpu0": f"{NUMA_MEM} -p 2 -t 1 -C 2,6 -0",
    "looks": "bench numa-mem -G 0 -P 1 -p 2 -t 2 -s 20 -l 0 -c -m -x 1 --interval 0.2 --json "
    "-C 2-3,6-7",
    "apart": "bench numa-mem -G 0 -P 1 -p 1 -t 2 -s 3 -c --interval 0.2 --json -C 0,7",
}


@pytest.fixture(scope="module")
def reports(quad: Lab, command: str) -> dict[str, Any]:
    lines = [f"{command} {line}" for line in LINES.values()]
    result = quad.run(["sh", "-c", " && ".join(lines)], timeout_s=300)
    assert result.status == 0, result.stderr
    found = [json.loads(line) for line in result.stdout.decode().splitlines()]
    return dict(zip(LINES, found, strict=True))


def pages(report: dict[str, Any]) -> dict[str, dict[str, int]]:
    return {memory["name"]: memory["pages_on_node"] for memory in report["memories"]}


def test_tasks_run_on_their_cpus_and_use_memory_of_their_nodes(reports: dict[str, Any]) -> None:
    report = reports["bound"]
    assert [task["cpu"] for task in report["tasks"]] == [6, 7, 0, 1]
    assert [task["node"] for task in report["tasks"]] == [3, 3, 0, 0]
    assert pages(report)["process 0"] == {"1": PAGES_OF_MIB}
    assert pages(report)["threads of 0"] == {"1": PAGES_OF_MIB}
    assert pages(report)["process 1"] == {"2": PAGES_OF_MIB}
    assert pages(report)["threads of 1"] == {"2": PAGES_OF_MIB}


def test_memory_bind_keeps_each_process_at_home(reports: dict[str, Any]) -> None:
    report = reports["memory-bind"]
    for process in range(4):
        nodes = {task["node"] for task in report["tasks"] if task["process"] == process}
        assert nodes == {process}
        assert pages(report)[f"process {process}"] == {str(process): PAGES_OF_MIB}
        assert pages(report)[f"threads of {process}"] == {str(process): PAGES_OF_MIB}


def test_round_robin_spreads_all_memory_evenly(reports: dict[str, Any]) -> None:
    for name, found in pages(reports["round-robin"]).items():
        whole = PAGES_OF_MIB // 2 if name == "global" else PAGES_OF_MIB
        assert found == {str(node): whole // 4 for node in range(4)}, name


def test_all_memory_can_begin_on_the_node_of_cpu_0(reports: dict[str, Any]) -> None:
    for found in pages(reports["cpu0"]).values():
        assert set(found) == {"0"}


def test_processes_on_one_node_each_have_converged(reports: dict[str, Any]) -> None:
    report = reports["looks"]
    assert report["converged_s"] is not None
    last = report["looks"][-1]
    assert [process["thread_nodes"] for process in last["processes"]] == [[1], [3]]
    assert set(last["processes"][1]["pages_on_node"]) == {"3"}


def test_a_process_on_two_nodes_never_converges(reports: dict[str, Any]) -> None:
    report = reports["apart"]
    assert report["looks"], "there was time for a look"
    assert report["converged_s"] is None
    assert all(look["processes"][0]["thread_nodes"] == [0, 3] for look in report["looks"])


def test_times_in_the_lab_say_whose_they_are(reports: dict[str, Any]) -> None:
    for report in reports.values():
        assert report["clock"] in ("modelled", "host clock, not the machine's")
        assert report["verified"]
        assert report["total_bytes_per_s"] > 0
