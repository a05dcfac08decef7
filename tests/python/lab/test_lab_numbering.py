"""homenode.lab.numbering: one numbering of nodes and CPUs, which is the guest's."""

from dataclasses import replace

import pytest
from lab_driver import ROOT
from lab_start import lab_or_skip

from homenode.lab import find_machine
from homenode.lab.catalogue import names
from homenode.lab.machine import Cache as Shape
from homenode.lab.machine import CacheInstance, Cpu, Machine, PairValues
from homenode.lab.machine_check import find_problem
from homenode.lab.machine_model import resolve
from homenode.lab.numbering import numbered
from homenode.node import Node
from homenode.study.lab_runner import LabRunner

# Node 1 has no CPUs, 3 is missing, CPU 5 belongs to no node, and node 4's CPU is the first.
ODD = Machine(
    "odd",
    (Node(0, (2, 3), 256 << 20), Node(1, (), 128 << 20), Node(4, (0,), 256 << 20)),
    (Cpu(0, 0, 0), Cpu(2, 1, 1), Cpu(3, 1, 2), Cpu(5, 2, 3)),
    ((10, 17, 20), (17, 10, 21), (20, 21, 10)),
    info={"Links": "0-1:100,0-4:200", "LabNodeMemoryMiB": "128"},
    caches=(CacheInstance(2, Shape(65536, 4, 64), (2, 3)), CacheInstance(2, Shape(1, 1, 1), (5,))),
    pair_values={"Latency": PairValues("declared", {(0, 1): 170, (4, 0): 200})},
)


def test_nodes_with_cpus_come_first_in_the_order_of_their_cpus():
    machine = numbered(ODD).machine
    assert [(n.id, n.cpus) for n in machine.nodes] == [(0, (0,)), (1, (1, 2)), (2, ())]
    assert machine.nodes[2].memory_bytes == 128 << 20
    assert machine.distances == ((10, 20, 21), (20, 10, 17), (21, 17, 10))
    assert machine.cpus == (Cpu(0, 0, 0), Cpu(1, 1, 1), Cpu(2, 1, 2))
    assert [cache.cpus for cache in machine.caches] == [(1, 2)]
    assert machine.pair_values["Latency"].values == {(1, 2): 170, (0, 1): 200}


def test_ways_over_links_stay_the_same():
    new_of = {0: 1, 1: 2, 4: 0}
    before = resolve(replace(ODD, pair_values={}))
    after = resolve(replace(numbered(ODD).machine, pair_values={}))
    assert after.links == {
        (min(new_of[a], new_of[b]), max(new_of[a], new_of[b])): mib
        for (a, b), mib in before.links.items()
    }
    assert after.routes == {
        (new_of[a], new_of[b]): tuple(new_of[node] for node in way)
        for (a, b), way in before.routes.items()
    }


def test_what_differs_from_the_file_is_noted_once():
    notes = numbered(ODD).notes
    assert len(notes) == 3
    assert "belong to no node are left out: 5" in notes[0]
    assert notes[1].endswith("4 is 0, 0 is 1, 1 is 2")
    assert notes[2].endswith("2 is 1, 3 is 2")
    assert numbered(numbered(ODD).machine).notes == ()


@pytest.mark.parametrize("name", names())
def test_the_catalogues_machines_have_the_guests_numbers(name: str):
    machine = find_machine(name)
    assert numbered(machine).machine is machine


def test_cpus_of_no_node_are_no_problem():
    assert find_problem(replace(ODD, info={}, pair_values={}, caches=())) == ""
    problem = find_problem(replace(ODD, nodes=(Node(1, (), 1 << 30),)))
    assert problem.startswith("no node has CPUs") and "lstopo --disallowed" in problem


def test_a_misspelt_info_is_named():
    problem = find_problem(replace(ODD, info={"BaseCPIs": "1"}, pair_values={}, caches=()))
    assert "homenode:BaseCPIs is no info (did you mean homenode:BaseCPI?)" in problem
    assert "Source.<what>" in problem


def test_a_study_has_the_guests_numbers():
    machine = LabRunner(str(ROOT / "tests/machines/sparse-power.xml")).machine
    assert machine.node_ids == tuple(range(len(machine.nodes)))


@pytest.mark.lab
def test_the_guest_has_the_numbers_of_the_labs_machine(capsys: pytest.CaptureFixture[str]):
    odd = replace(ODD, pair_values={}, caches=())
    with lab_or_skip(odd, plugin=False, warm=False) as lab:
        node = "/sys/devices/system/node"
        script = f"cd {node}; cat node*/cpulist; cat node*/distance; grep -h MemTotal node*/meminfo"
        lines = lab.run(["sh", "-c", script], timeout_s=120).stdout.decode().splitlines()
    assert capsys.readouterr().err.count("the guest numbers nodes") == 1
    assert lines[:3] == ["0", "1-2", ""]
    assert [tuple(map(int, line.split())) for line in lines[3:6]] == list(lab.machine.distances)
    assert len(lines) == 9
