"""Private heaps on real nodes, and what the allocator says of its own on them.

tests/heap/programs/private_heap.cpp does it and asks the kernel where each page is.
"""

import json
from typing import Any

from heap_programs import program
from lab_start import lab_or_skip

from homenode.lab import Lab

FILL_MIB = 40
# Below its watermark a node gives no huge pages, and the kernel takes them from another.
AMPLE_MIB = 512


def filled(lab: Lab, mib: str, policy: str = "bind") -> dict[str, Any]:
    """What the allocator says when a program on CPU 5, which is of node 2, holds so much."""
    script = f"taskset -c 5 {program('private_heap')} fill {mib}"
    env = {"HOMENODE_MALLOC_POLICY": policy}
    result = lab.run(["sh", "-c", script], env=env, timeout_s=600)
    assert result.status == 0, result.stdout + result.stderr
    said: dict[str, Any] = json.loads(result.stdout)
    return said


def test_heaps_are_where_they_were_made_and_where_they_were_moved() -> None:
    with lab_or_skip("quad-4x2", plugin=False, node_memory_mib=AMPLE_MIB) as lab:
        result = lab.run([str(program("private_heap")), "0", "1", "2", "3"], timeout_s=600)
    assert result.status == 0, result.stdout + result.stderr


def test_statistics_name_the_node_and_the_core_that_asked(quad: Lab) -> None:
    arenas = {one["node"]: one for one in filled(quad, str(FILL_MIB))["arenas"]}
    bytes_in_use = {node: one["live_bytes"] for node, one in arenas.items()}
    assert max(bytes_in_use, key=lambda node: bytes_in_use[node]) == 2
    heaps = {heap["cpu"]: heap for heap in arenas[2]["heaps"]}
    assert heaps[5]["live_bytes"] >= FILL_MIB << 20
    assert arenas[2]["peak_bytes"] >= heaps[5]["peak_bytes"] >= heaps[5]["committed_bytes"]
    assert arenas[2]["policy_calls"] == sum(heap["policy_calls"] for heap in heaps.values()) > 0
    assert arenas[2]["spilled_bytes"] == 0


def test_what_a_full_node_spills_is_counted(quad: Lab) -> None:
    node_mib = "$(($(awk '/MemTotal/ {print $4}' /sys/devices/system/node/node2/meminfo) / 1024))"
    said = filled(quad, f"$(({node_mib} + 40))")
    arena = next(one for one in said["arenas"] if one["node"] == 2)
    assert arena["live_bytes"] > arena["spilled_bytes"] >= 40 << 20


def test_a_strict_policy_spills_nothing(quad: Lab) -> None:
    said = filled(quad, str(FILL_MIB), "bind:strict")
    assert {one["policy"] for one in said["arenas"]} == {"bind:strict"}
    assert {one["spilled_bytes"] for one in said["arenas"]} == {0}
