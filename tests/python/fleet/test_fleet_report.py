"""Nodes that are unlike their siblings are named, and those that are alike are not."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from browsing import faults
from json_documents import errors

from homenode.fleet import cli
from homenode.fleet.compare import LEAST_SHARE, compare
from homenode.fleet.documents import Computer, Key

LATENCY = Key("read latency", "ns", 0, 1)


def measured(latency: float, bandwidth: float) -> dict[str, Any]:
    def matrix(own: float, other: float) -> dict[str, Any]:
        return {"from": [0, 1], "to": [0, 1], "values": [[own, other], [other, None]]}

    return {
        "schema": "homenode.measure/2",
        "matrices": {
            "read_latency_ns": matrix(latency, 1.6 * latency),
            "numa_factor": matrix(1, 1.6),
            "write_nt_mib_per_s": None,
            "triad_mib_per_s": matrix(bandwidth, bandwidth / 2),
        },
    }


def machine(nodes: int, memory: int) -> dict[str, Any]:
    distances = [[10 if a == b else 21 for b in range(nodes)] for a in range(nodes)]
    return {
        "schema": "homenode.machine/2",
        "nodes": [{"id": n, "cpus": [n], "memory_bytes": memory // nodes} for n in range(nodes)],
        "packages": [{"id": 0, "cpus": list(range(nodes))}],
        "offline_cpus": [],
        "caches": [{"level": 3, "size_bytes": 32 << 20}, {"level": 1, "size_bytes": None}],
        "distances": {"values": distances},
    }


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    """Eight computers: c3 has a slow memory, c5 is split into four nodes and lacks half a DIMM."""
    chance = random.Random(20)
    for index in range(8):
        noise = 1 + chance.uniform(-0.005, 0.005)
        slow = 1.25 if index == 3 else 1
        found = measured(90 * noise * slow, 20000 * noise / slow)
        odd = machine(4, 192 << 30) if index == 5 else machine(2, 256 << 30)
        (tmp_path / f"c{index}.example.measure.json").write_text(json.dumps(found))
        (tmp_path / f"c{index}.example.topology.json").write_text(json.dumps(odd))
    return tmp_path


def test_the_slow_one_and_the_one_with_other_settings_are_named(
    cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["report", str(cluster)]) == 0
    said = capsys.readouterr().out
    first, _, *lines = said.splitlines()
    assert first == "Of 8 computers, c5.example, c3.example are unlike the others."
    assert {line.partition(":")[0] for line in lines} == {"c3.example", "c5.example"}
    assert "c5.example: nodes 4; most have 2" in lines
    assert any(line.startswith("c3.example: read latency 0 → 1 is ") for line in lines)
    assert any("c3.example: triad bandwidth 0 → 0" in line and ", -" in line for line in lines)
    assert any("c5.example: memory of node 0 is 48 GiB, -62.5%" in line for line in lines)


@pytest.mark.browser
def test_nothing_is_wrong_with_the_page(cluster: Path) -> None:
    page = cluster / "page.html"
    assert cli.main(["report", str(cluster), "--html", str(page)]) == 0
    assert faults(page) == []


def test_json_has_its_schema_and_the_page_is_whole(
    cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = cluster / "page.html"
    assert cli.main(["report", str(cluster), "--json", "--html", str(page)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert errors(found, "homenode.fleet.report") == []
    assert {u["computer"] for u in found["unlike"]} == {"c3.example", "c5.example"}
    assert {s["setting"] for s in found["settings"]} == {"nodes", "CPUs of each node", "distances"}
    text = page.read_text()
    assert text.count("c3.example") == 1 + 6 and "http" not in text


def test_those_that_are_alike_are_not_accused() -> None:
    values = [100.0, 100.0, 100.0, 100.0, 100.0 * (1 + 0.9 * LEAST_SHARE)]
    found = compare([Computer(f"c{n}", {LATENCY: v}) for n, v in enumerate(values)])
    assert found.unlike == () and found.spreads[0].mad == 0


def test_where_siblings_scatter_only_what_is_far_beyond_is_unlike() -> None:
    values = [90.0, 95.0, 100.0, 105.0, 110.0, 135.0, 150.0]
    found = compare([Computer(f"c{n}", {LATENCY: v}) for n, v in enumerate(values)])
    assert found.spreads[0].median == 105 and found.spreads[0].mad == 10
    assert found.unlike == ()  # 5 · 1.4826 · 10 above 105 is 179.
    values.append(230.0)
    found = compare([Computer(f"c{n}", {LATENCY: v}) for n, v in enumerate(values)])
    assert found.spreads[0].mad == 15 and [u.computer for u in found.unlike] == ["c7"]


def test_a_few_computers_are_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["report", str(tmp_path)]) == 1
    assert "there is no file NAME.measure.json" in capsys.readouterr().err
    for name in "ab":
        (tmp_path / f"{name}.measure.json").write_text(json.dumps(measured(90, 20000)))
    assert cli.main(["report", str(tmp_path)]) == 1
    assert "at least 3; measure more" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 3}', '{"schema": "homenode.measure/2"}'])
def test_a_file_of_another_kind_is_one_line(
    cluster: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (cluster / "odd.json").write_text(text)
    assert cli.main(["report", str(cluster)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "odd.json is no output of measure --json" in said
