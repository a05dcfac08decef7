"""homenode.lab.timing: the timing file of a machine, against golden files and by value."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from homenode.lab.catalogue import find_machine
from homenode.lab.machine import Cache, CacheInstance, Cpu, Machine, PairValues
from homenode.lab.machine_model import resolve
from homenode.lab.scale import scaled
from homenode.lab.timing import timing_text
from homenode.node import Node

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests/golden/timing"
CAPTURED = ROOT / "tests/machines"


def words(machine: Machine, keyword: str) -> list[str]:
    lines = timing_text(machine).splitlines()
    return [line.partition(" ")[2] for line in lines if line.split()[0] == keyword]


def duo(**changes: object) -> Machine:
    """Node 1 has CPUs 0 and 2, node 4 CPU 5 and no memory, node 6 only memory."""
    machine = Machine(
        "duo",
        (Node(1, (0, 2), 1 << 30), Node(4, (5,), 0), Node(6, (), 1 << 30)),
        (Cpu(0, 0, 0), Cpu(2, 0, 0), Cpu(5, 1, 1)),
        ((10, 20, 25), (20, 10, 31), (25, 31, 10)),
    )
    return replace(machine, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["quad-4x2", "cxl-3x4", "duo-2x4"])
def test_timing_files_are_the_golden_ones(name: str):
    captured = CAPTURED / f"{name}.xml"
    machine = find_machine(str(captured) if name == "duo-2x4" else name)
    text = timing_text(machine)
    path = GOLDEN / f"{name}.timing"
    if "HOMENODE_UPDATE_GOLDEN" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def test_what_is_not_declared_is_assumed_from_the_distances_and_said():
    machine = duo()
    assert words(machine, "latency") == ["1 1 100000", "1 6 250000", "4 1 200000", "4 6 310000"]
    assert words(machine, "controller") == ["1 10000 10000", "6 4000 4000"]
    assert words(machine, "pair") == ["1 6 4000 4000", "4 1 5000 5000", "4 6 3226 3226"]
    assert words(machine, "l1") == ["32768 8"]
    assert words(machine, "l2") == words(machine, "l3") == words(machine, "l3_group") == []
    assumed = resolve(machine).assumed
    assert "latency 100 ns × distance / 10" in assumed
    assert "CoreFrequencyMHz 2000 MHz" in assumed
    assert not any("L2LatencyNs" in text for text in assumed), "there is no L2"


def test_virtual_cpus_are_dense_and_in_the_order_of_their_numbers():
    group = CacheInstance(3, Cache(1 << 20, 16, 64), (2, 5))
    machine = duo(caches=(group,))
    assert words(machine, "vcpu_nodes") == ["1 1 4"]
    assert words(machine, "nodes") == ["1 4 6"]
    assert words(machine, "l3_group") == ["1 2"]


def test_a_private_cache_is_divided_by_those_who_share_it_and_keeps_its_ways():
    shape = Cache(3 << 20, 12, 64)
    machine = duo(
        caches=(CacheInstance(1, Cache(48 << 10, 12, 64), (0, 2)), CacheInstance(2, shape, (0, 2)))
    )
    assert words(machine, "l1") == [f"{24 << 10} 12"]
    assert words(machine, "l2") == [f"{3 << 19} 12 5000"]


def test_read_and_write_forms_come_before_the_common_one():
    pairs = duo().pairs
    tables = {
        "Latency": PairValues("measured", dict.fromkeys(pairs, 120)),
        "Bandwidth": PairValues("measured", dict.fromkeys(pairs, 9000)),
        "WriteBandwidth": PairValues("measured", dict.fromkeys(pairs, 7000)),
    }
    machine = duo(pair_values=tables)
    assert set(words(machine, "latency")) == {f"{a} {b} 120000" for a, b in pairs}
    assert words(machine, "controller") == ["1 9000 7000", "6 9000 7000"]


def test_shared_links_go_both_ways_and_ways_may_be_declared():
    info = {"Links": "1-4:500,6-4:300,1-6:100", "Routes": "1>6:1,4,6"}
    machine = duo(info=info)
    assert words(machine, "link") == [
        "1 4 500", "4 1 500", "1 6 100", "6 1 100", "4 6 300", "6 4 300"
    ]  # fmt: skip
    assert words(machine, "route") == ["1 6 1 4 6", "4 1 4 1", "4 6 4 6"]


def test_scaling_divides_sets_and_memory_and_leaves_times():
    machine = find_machine("hp-8x4")
    small = scaled(machine, 16)
    assert words(small, "l1") == ["4096 2"]
    assert words(small, "l2") == ["32768 16 7300"]
    assert words(small, "l3") == [f"{128 << 10} 32 25500"]
    for keyword in ("latency", "controller", "pair", "link", "frequency_mhz", "l3_group"):
        assert words(small, keyword) == words(machine, keyword)
    assert {node.memory_bytes for node in small.nodes[1:]} == {512 << 20}
