"""homenode.lab.machine and catalogue: what is read from a machine file, and what is refused."""

from pathlib import Path

import pytest

from homenode.lab import LabError, find_machine, parse_machine
from homenode.lab.catalogue import names
from homenode.lab.machine import Cache
from homenode.lab.machine_xml import parse_bitmap

NODE = (
    '<object type="NUMANode" os_index="{id}" cpuset="{cpuset}" local_memory="{memory}"/>'
    '<object type="Core" os_index="{id}">{pus}</object>'
)


def document(nodes: str, rest: str = "", version: str = "2.0") -> str:
    return (
        f'<topology version="{version}"><object type="Machine"><object type="Package">{nodes}'
        f"</object></object>{rest}</topology>"
    )


def node(number: int, cpus: list[int], memory: int = 1 << 30) -> str:
    pus = "".join(f'<object type="PU" os_index="{cpu}"/>' for cpu in cpus)
    bits = sum(1 << cpu for cpu in cpus)
    words = range(max(bits.bit_length() - 1, 0) // 32, -1, -1)
    cpuset = ",".join(hex(bits >> 32 * word & 0xFFFFFFFF) for word in words)
    return NODE.format(id=number, cpuset=cpuset, memory=memory, pus=pus)


def distances(ids: list[int], values: list[int], kind: int = 5) -> str:
    return (
        f'<distances2 type="NUMANode" nbobjs="{len(ids)}" kind="{kind}" indexing="os">'
        f"<indexes>{' '.join(map(str, ids))}</indexes>"
        f"<u64values>{' '.join(map(str, values))}</u64values></distances2>"
    )


def test_catalogue_holds_the_three_machines_of_the_right_size():
    for name, nodes, cpus in (("tiny-2x2", 2, 4), ("quad-4x2", 4, 8), ("hp-8x4", 8, 32)):
        machine = find_machine(name)
        assert name in names()
        assert (machine.name, len(machine.nodes), len(machine.cpus)) == (name, nodes, cpus)
        assert machine.private_cache == Cache(512 << 10, 16, 64)
        assert machine.lab_node_memory_mib == 256
        assert machine.description


def test_every_node_of_hp_reaches_three_nodes_in_one_hop_and_four_in_two():
    for row in find_machine("hp-8x4").distances:
        assert sorted(row) == [10, 16, 16, 16, 22, 22, 22, 22]


def test_catalogue_distances_are_symmetric():
    for name in names():
        table = find_machine(name).distances
        assert table == tuple(zip(*table, strict=True))


def test_sparse_ids_cpuless_and_memoryless_nodes_are_kept():
    text = document(
        node(1, [0, 2], 0) + node(4, [5]) + node(7, []),
        distances([1, 4, 7], [10, 20, 30, 20, 10, 31, 30, 31, 10]),
    )
    machine = parse_machine(text, "x")
    assert machine.node_ids == (1, 4, 7)
    assert [n.cpus for n in machine.nodes] == [(0, 2), (5,), ()]
    assert [n.memory_bytes for n in machine.nodes] == [0, 1 << 30, 1 << 30]
    assert machine.node_of_vcpu == (1, 1, 4)
    assert machine.distances == ((10, 20, 30), (20, 10, 31), (30, 31, 10))


def test_distances_of_other_kinds_are_not_latencies():
    text = document(node(0, [0]) + node(1, [1]), distances([0, 1], [1, 2, 3, 4], kind=9))
    assert parse_machine(text, "x").distances == ()


def test_bitmaps_count_words_from_the_highest():
    assert parse_bitmap("0x00000005") == (0, 2)
    assert parse_bitmap("0x1,0x80000001") == (0, 31, 32)
    assert parse_bitmap("0x1,,0x0") == (64,)
    assert parse_bitmap("0x0") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<topology", "not well-formed XML"),
        ("<other/>", "not an hwloc topology"),
        (document(node(0, [0]), version="1.0"), "version 2"),
        (document(""), "no CPU"),
        (document(node(0, [0], 0)), "no node has memory"),
        (document(node(0, [0]) + node(0, [1])), "same os_index"),
        (document("".join(node(i, [i]) for i in range(129))), "129 nodes are more than QEMU's 128"),
        (document(node(0, [0]) + node(1, [0])), "same os_index"),
        (document(node(0, [0]), distances([0], [11])), "distance from node 0 to node 0 is 11"),
        (document(node(0, [0]) + node(1, [1]), distances([0, 1], [10, 9, 9, 10])), "is 9"),
        (document(node(0, [0]) + node(1, [1]), distances([0], [10])), "do not cover"),
        (document(node(0, [0]), distances([0], [10, 20])), "2 distances for 1 nodes"),
        (document(node(0, [0])).replace('os_index="0"', 'os_index="a"'), "not a whole number"),
    ],
)
def test_a_file_that_the_lab_cannot_use_is_one_line_and_bad_usage(text: str, said: str):
    with pytest.raises(LabError) as caught:
        parse_machine(text, "broken")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(LabError, match=r"hp-8x4, itanium2-4x4, .*, tiny-2x2") as caught:
        find_machine("no-such-machine")
    assert caught.value.exit_code == 2


def test_machines_are_also_found_by_path_and_in_the_environments_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "mine.xml").write_text(document(node(0, [0])))
    assert find_machine(str(tmp_path / "mine.xml")).name == "mine"
    monkeypatch.setenv("HOMENODE_MACHINES", str(tmp_path))
    assert find_machine("mine").node_ids == (0,)
    with pytest.raises(LabError, match="No such file"):
        find_machine(str(tmp_path / "other.xml"))
