"""homenode.lab.qemu and memory: the command line and the memory's layout, by value."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from homenode.lab import LabError, LabOptions, Machine, find_machine
from homenode.lab.emulator import parse_version
from homenode.lab.machine import MIB, Cache, Cpu
from homenode.lab.memory import node_sizes, ranges
from homenode.lab.qemu import Files, command_line, plugin_argument
from homenode.lab.scale import scaled
from homenode.node import Node

FILES = Files(Path("/k"), Path("/i"), Path("/s"), 7)


def values(words: list[str], option: str) -> list[str]:
    return [value for name, value in pairwise(words) if name == option]


def words_for(machine: Machine, files: Files = FILES, options: LabOptions | None = None):
    return command_line(["qemu"], machine, files, options or LabOptions())


def sparse() -> Machine:
    nodes = (Node(0, (0,), 0), Node(2, (3, 5), 1 << 30))
    return Machine(
        "sparse", nodes, (Cpu(0, 0, 0), Cpu(3, 1, 1), Cpu(5, 1, 2)), ((10, 30), (30, 10))
    )


def test_tiny_is_two_packages_of_two_cores_with_its_memory_and_distances():
    words = words_for(find_machine("tiny-2x2"))
    assert words[0] == "qemu"
    assert values(words, "-smp") == ["4,sockets=2,cores=2,threads=1"]
    assert values(words, "-m") == ["512M"]
    assert values(words, "-object") == [
        "memory-backend-ram,id=node0,size=256M",
        "memory-backend-ram,id=node1,size=256M",
        "memory-backend-file,id=clock,share=on,mem-path=/s/clock,size=65536",
    ]
    assert values(words, "-numa") == [
        "node,nodeid=0,memdev=node0",
        "node,nodeid=1,memdev=node1",
        "cpu,node-id=0,socket-id=0,core-id=0,thread-id=0",
        "cpu,node-id=0,socket-id=0,core-id=1,thread-id=0",
        "cpu,node-id=1,socket-id=1,core-id=0,thread-id=0",
        "cpu,node-id=1,socket-id=1,core-id=1,thread-id=0",
        "dist,src=0,dst=0,val=10",
        "dist,src=0,dst=1,val=16",
        "dist,src=1,dst=0,val=16",
        "dist,src=1,dst=1,val=10",
    ]


def test_ids_that_the_machine_leaves_out_are_empty_nodes_and_odd_cpus_are_packages():
    words = words_for(sparse())
    assert values(words, "-smp") == ["3,sockets=3,cores=1,threads=1"]
    assert values(words, "-m") == ["256M"]
    numa = values(words, "-numa")
    assert numa[:3] == ["node,nodeid=0", "node,nodeid=1", "node,nodeid=2,memdev=node2"]
    assert numa[3:6] == [
        f"cpu,node-id={node},socket-id={i},core-id=0,thread-id=0"
        for i, node in enumerate((0, 2, 2))
    ]
    assert "dist,src=0,dst=2,val=30" in numa
    assert "dist,src=0,dst=1,val=20" in numa


def test_threads_of_one_core_stay_together():
    cpus = tuple(Cpu(i, i // 4, i // 2) for i in range(8))
    nodes = (Node(0, (0, 1, 2, 3), 1 << 30), Node(1, (4, 5, 6, 7), 1 << 30))
    words = words_for(Machine("smt", nodes, cpus))
    assert values(words, "-smp") == ["8,sockets=2,cores=2,threads=2"]
    assert "cpu,node-id=1,socket-id=1,core-id=0,thread-id=1" in values(words, "-numa")
    assert not [value for value in values(words, "-numa") if value.startswith("dist")]


def test_only_the_session_and_the_results_are_writable():
    words = words_for(find_machine("tiny-2x2"), replace(FILES, results=Path("/r,x")))
    shared = values(words, "-fsdev")
    assert [part.split(",")[1] for part in shared] == [
        "id=hn_root",
        "id=hn_session",
        "id=hn_results",
    ]
    assert [part.endswith("readonly=on") for part in shared] == [True, False, False]
    assert "path=/r,,x," in shared[2]
    assert "path=/s/jobs," in shared[1]


def test_a_scaled_machine_has_no_huge_pages_unless_asked_for():
    tiny = find_machine("tiny-2x2")
    small = scaled(tiny, 2)
    for machine, wanted, found in (
        (tiny, None, "always"),
        (tiny, False, "never"),
        (small, None, "never"),
        (small, True, "always"),
    ):
        words = words_for(machine, options=LabOptions(huge_pages=wanted))
        assert f"transparent_hugepage={found}" in values(words, "-append")[0]


def test_numa_balancing_is_off_unless_asked_for():
    tiny = find_machine("tiny-2x2")
    assert "numa_balancing=disable" in values(words_for(tiny), "-append")[0]
    on = words_for(tiny, options=LabOptions(numa_balancing=True))
    assert "numa_balancing=enable" in values(on, "-append")[0]


def test_the_plugin_is_told_ranges_cpus_and_the_private_cache():
    tiny = find_machine("tiny-2x2")
    argument = plugin_argument(tiny, Path("/p,1.so"), Path("/c"), node_sizes(tiny))
    assert argument == (
        "file=/p,,1.so,out=/c,ranges=0:0x0:0x10000000+1:0x10000000:0x10000000,vcpus=4,"
        "cache=524288:16:64"
    )
    assert "-plugin" not in words_for(tiny)
    assert plugin_argument(sparse(), Path("/p"), Path("/c"), {2: MIB}).endswith("vcpus=3,cache=0")


def test_a_timed_plugin_is_told_the_timing_file_and_the_clock_that_the_guest_has_too():
    tiny = find_machine("tiny-2x2")
    files = replace(FILES, plugin=Path("/p"), session=Path("/s,1"), timed=True)
    words = words_for(tiny, files)
    assert values(words, "-plugin")[0].endswith(",timing=/s,,1/timing,clock=/s,,1/clock")
    assert "mem-path=/s,,1/clock," in values(words, "-object")[-1]
    untimed = values(words_for(tiny, replace(files, timed=False)), "-plugin")[0]
    assert "timing" not in untimed and "clock" not in untimed


def test_all_guests_of_a_machine_have_the_same_devices():
    tiny = find_machine("tiny-2x2")
    plain = values(words_for(tiny), "-device")
    assert "ivshmem-plain,memdev=clock,master=on" in plain
    for files in (
        replace(FILES, results=Path("/r")),
        replace(FILES, plugin=Path("/p"), timed=True),
        replace(FILES, monitor=8),
        replace(FILES, snapshot=Path("/x")),
    ):
        assert values(words_for(tiny, files), "-device") == plain
    assert "-incoming" not in words_for(tiny)
    going_on = words_for(tiny, replace(FILES, snapshot=Path("/x")))
    assert values(going_on, "-incoming") == ["file:/x"]


def test_memory_that_does_not_fit_below_the_hole_goes_on_at_4_gib():
    gib = 1 << 30
    spans = [(r.node, r.base, r.size) for r in ranges({0: gib, 1: 3 * gib, 2: 0, 3: gib})]
    assert spans == [(0, 0, gib), (1, gib, gib), (1, 4 * gib, 2 * gib), (3, 6 * gib, gib)]


def test_memory_just_under_the_hole_stays_below_it():
    size = 0xB0000000 - MIB
    assert [(r.base, r.size) for r in ranges({0: size})] == [(0, size)]
    assert [r.base for r in ranges({0: 0xB0000000})] == [0, 4 << 30]


def test_a_node_too_small_for_linux_is_refused():
    with pytest.raises(LabError, match="64 MiB") as caught:
        node_sizes(find_machine("tiny-2x2"), 16)
    assert caught.value.exit_code == 2


def test_qemus_version_is_read_from_what_it_prints():
    assert parse_version("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)") == (7, 2, 22)
    assert parse_version("nothing") == ()


def test_the_plugin_counts_with_whole_sets():
    machine = replace(find_machine("tiny-2x2"), private_cache=Cache(1_000_000, 16, 64))
    assert ",cache=999424:16:64" in plugin_argument(machine, Path("/p"), Path("/o"), {0: MIB})
