"""The lab reads machine files itself, as it starts before any library is built; it must read them
as the C++ library does."""

from pathlib import Path
from typing import Any

import pytest

from homenode import capi
from homenode.lab import LabError
from homenode.lab.catalogue import find_machine
from homenode.lab.machine import Machine
from homenode.places import shipped

CAPTURED = Path(__file__).resolve().parents[2] / "machines"
TOO_FAR = {"sparse-power"}  # Its node 255 is beyond what QEMU can have.
FILES = sorted(
    path
    for folder in (*shipped("machines"), CAPTURED)
    for path in folder.glob("*.xml")
    if path.stem not in TOO_FAR
)
KINDS = {
    "Latency": "latency",
    "ReadBandwidth": "read_bandwidth",
    "WriteBandwidth": "write_bandwidth",
}


def described(path: Path) -> dict[str, Any]:
    try:
        return capi.machine(path)
    except LabError as error:
        pytest.skip(f"the library is not built: {error}")


def caches(machine: Machine) -> set[tuple[int, int, int, tuple[int, ...]]]:
    return {
        (cache.level, cache.shape.size, cache.shape.ways, tuple(sorted(cache.cpus)))
        for cache in machine.caches
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_readers_read_the_same_machine(path: Path):
    machine, other = find_machine(str(path)), described(path)
    assert other["info"] == machine.info
    assert [(n["id"], n["cpus"], n["memory_bytes"]) for n in other["nodes"]] == [
        (node.id, sorted(node.cpus), node.memory_bytes) for node in machine.nodes
    ]
    distances = other["distances"]
    assert (distances["values"] if distances else []) == [list(row) for row in machine.distances]
    assert caches(machine) == {
        (cache["level"], cache["size_bytes"], cache["ways"] or 0, tuple(cache["cpus"]))
        for cache in other["caches"]
        if cache["level"] <= 3
    }
    matrices = {
        matrix["kind"]: {
            (a, b): value
            for a, row in zip(matrix["from"], matrix["values"], strict=True)
            for b, value in zip(matrix["to"], row, strict=True)
        }
        for matrix in other["pair_values"]
    }
    assert matrices == {KINDS[name]: dict(t.values) for name, t in machine.pair_values.items()}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('value="188"', 'value="0"', "node 0 is 0 ns, which is not between 1 and 100000"),
        ('value="188"', 'value="-5"', "'-5', which is not a whole number"),
        ('value="188"', 'value="400"', "from node 1 to node 0 is 400 ns, but 188 ns the other way"),
        (
            'value="96"',
            'value="189"',
            "to node 1 is 188 ns, less than the 189 ns to its own memory",
        ),
        ('value="53730"', 'value="10485761"', "is 10485761 MiB/s, which is not between 1 and"),
    ],
)
def test_both_readers_refuse_the_same_figures(old: str, new: str, said: str, tmp_path: Path):
    path = tmp_path / "odd.xml"
    text = (CAPTURED.parents[1] / "machines/cxl-3x4.xml").read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(LabError) as caught:
        find_machine(str(path))
    try:
        capi.machine(path)
    except capi.HomenodeError as error:
        messages = [str(caught.value), str(error)]
    except LabError as error:
        pytest.skip(f"the library is not built: {error}")
    assert all(said in message and "\n" not in message for message in messages), messages
