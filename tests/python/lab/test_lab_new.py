"""homenode.lab.new: a machine of the catalogue from the XML of a real one."""

import re
from pathlib import Path

import pytest

from homenode import capi
from homenode.lab import LabError
from homenode.lab.catalogue import find_file
from homenode.lab.machine_model import resolve
from homenode.lab.new import new_machine
from homenode.lab.timing import timing_text

CAPTURED = Path(__file__).resolve().parents[2] / "machines"


def captured(name: str) -> str:
    return (CAPTURED / f"{name}.xml").read_text()


def with_matrix(text: str, attribute: str, values: dict[tuple[str, str], str], info: str) -> str:
    """The text with values by (mask of the initiator, gp_index of the target), and one info."""
    rows = "".join(
        f'<memattr_value target_obj_type="NUMANode" target_obj_gp_index="{target}" '
        f'value="{value}" initiator_cpuset="{cpus}"/>'
        for (cpus, target), value in values.items()
    )
    part = f'<memattr name="{attribute}" flags="6">{rows}</memattr></topology>'
    start = text.index(">", text.index('<object type="Machine"')) + 1
    said = f'<info name="homenode:Provenance.{attribute}" value="{info}"/>'
    return (text[:start] + said + text[start:]).replace("</topology>", part)


def targets(text: str) -> dict[int, str]:
    """hwloc's gp_index of each node."""
    found = re.findall(r'type="NUMANode" os_index="(\d+)"[^>]*gp_index="(\d+)"', text)
    return {int(node): index for node, index in found}


@pytest.mark.parametrize(
    "name", ["duo-2x4", "quad-4x2", "eight-8x4", "cxl-3", "memoryless-4x2", "many-72x1"]
)
def test_captured_machines_become_ones_that_the_lab_can_time(name: str):
    made = new_machine(captured(name), name)
    model = resolve(made.machine)
    assert set(model.read_mib) == set(made.machine.pairs) == set(model.latency_ns)
    assert timing_text(made.machine)
    assert made.notes[0].startswith("Latency is assumed for all pairs of nodes")
    assert new_machine(made.text, name).text == made.text, "a second time changes nothing"
    assert new_machine(made.text, name).notes == ()


def test_a_cpu_less_node_that_hwloc_attaches_to_a_package_has_no_cpus():
    machine = new_machine(captured("cxl-3"), "cxl-3").machine
    assert [node.cpus for node in machine.nodes] == [(0, 1, 2, 3), (4, 5, 6, 7), ()]


def test_what_was_measured_stays_with_its_provenance():
    text = captured("quad-4x2")
    nodes = targets(text)
    masks = {node: f"0x{3 << 2 * node:08x}" for node in nodes}
    values = {(masks[a], nodes[b]): str(90 + 10 * abs(a - b) + a) for a in nodes for b in nodes}
    made = new_machine(with_matrix(text, "Latency", values, "measured"), "quad")
    table = made.machine.pair_values["Latency"]
    assert table.provenance == "measured"
    assert table.values[3, 1] == 113
    assert "Source.Latency" not in made.machine.info


def test_pairs_that_firmware_leaves_out_are_filled_in_by_distance():
    text = captured("quad-4x2")
    nodes = targets(text)
    values = {("0x00000003", nodes[0]): "80", ("0x0000000c", nodes[1]): "90"}
    made = new_machine(with_matrix(text, "Latency", values, "firmware"), "quad")
    latency = made.machine.pair_values["Latency"]
    assert latency.provenance == "firmware"
    assert (latency.values[0, 0], latency.values[1, 1]) == (80, 90)
    assert latency.values[0, 2] == 176, "80 ns at distance 22"
    assert latency.values[1, 0] == 144, "90 ns at distance 16"
    assert latency.values[2, 2] == 85, "the mean of what is known"
    assert made.machine.info["Source.Latency"] == (
        "assumed for 14 of 16 pairs of nodes: local × distance / 10"
    )


def test_cores_get_as_many_lines_in_flight_as_it_takes():
    text = captured("duo-2x4")
    nodes = targets(text)
    masks = {0: "0x0000000f", 1: "0x000000f0"}
    values = {(masks[a], nodes[b]): "80000" for a in masks for b in masks}
    made = new_machine(with_matrix(text, "ReadBandwidth", values, "measured"), "duo")
    # 1.25 × 80000 MiB/s × 210 ns / 64 bytes / 2 cores, as remote latency is not known.
    assert made.machine.info["PrefetchedLines"] == "173"
    assert not any("can request" in note and "declared" in note for note in made.notes)


def test_what_tells_of_its_owner_is_dropped():
    text = captured("duo-2x4").replace(
        "<info ", '<info name="HostName" value="secret"/><info name="DMIBoardSerial" value="77"/>'
        "<info ", 1
    )  # fmt: skip
    made = new_machine(text, "duo")
    for word in ("secret", "DMIBoardSerial", "OSDev", "PCIDev", "nvme0n1"):
        assert word in text or word == "PCIDev"
        assert word not in made.text
    assert made.machine.name == "two-socket-server", "what DMI calls the product"


def test_the_clock_of_the_cpus_is_taken_from_the_operating_system():
    kind = '<cpukind cpuset="0x000000ff"><info name="FrequencyBaseMHz" value="2300"/></cpukind>'
    text = captured("duo-2x4").replace("</topology>", f"{kind}</topology>")
    made = new_machine(text, "duo")
    assert made.machine.info["CoreFrequencyMHz"] == "2300"
    assert "FrequencyBaseMHz" in made.machine.info["Source.Core"]


@pytest.mark.parametrize("name", ["../up", "", "a b", "-x"])
def test_a_name_that_is_no_files_is_refused(name: str):
    with pytest.raises(LabError, match="--name") as caught:
        new_machine(captured("duo-2x4"), "", name)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("text", ["", "<topology", "<html/>", "<topology version='2.0'/>"])
def test_what_is_no_machine_is_refused_in_one_line(text: str):
    with pytest.raises(LabError) as caught:
        new_machine(text, "mail")
    assert "machine file mail" in str(caught.value) and "\n" not in str(caught.value)


def test_nodes_beyond_what_qemu_has_are_renumbered_and_said():
    made = new_machine(captured("sparse-power"), "power")
    machine = made.machine
    assert machine.node_ids == (0, 1, 2, 3, 4, 5)
    assert machine.cpu_nodes == (0, 1)
    assert machine.distances[0][1] == 40 and machine.distances[1][5] == 80
    assert made.notes[0] == (
        "QEMU cannot have nodes from 128, so of the nodes 8 is 1, 252 is 2, 253 is 3, 254 is 4, "
        "255 is 5"
    )


def test_a_machine_of_the_catalogue_stays_what_it_is():
    made = new_machine(find_file("cxl-3x4").read_text(), "cxl")
    assert made.notes == ()
    assert made.machine.info["PrefetchedLines"] == "56"
    assert made.machine.nodes[2].cpus == ()


def test_the_library_reads_renumbered_nodes(tmp_path: Path):
    path = tmp_path / "made.xml"
    path.write_text(new_machine(captured("sparse-power"), "power").text)
    try:
        described = capi.machine(path)
    except LabError as error:
        pytest.skip(f"the library is not built: {error}")
    assert [node["id"] for node in described["nodes"]] == [0, 1, 2, 3, 4, 5]
    assert described["distances"]["nodes"] == [0, 1, 2, 3, 4, 5]


def test_the_library_reads_what_was_made(tmp_path: Path):
    path = tmp_path / "made.xml"
    path.write_text(new_machine(captured("cxl-3"), "cxl").text)
    try:
        described = capi.machine(path)
    except LabError as error:
        pytest.skip(f"the library is not built: {error}")
    assert [node["cpus"] for node in described["nodes"]] == [[0, 1, 2, 3], [4, 5, 6, 7], []]
    assert [matrix["kind"] for matrix in described["pair_values"]] == ["latency", "bandwidth"]
    assert described["pair_values"][0]["values"] == [[100, 210, 140], [210, 100, 240]]
