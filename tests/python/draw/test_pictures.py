"""The pictures of machines and measurements: what they show, whatever program shows them."""

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest
from drawn_machine import GOLDEN, ROOT, machine

from homenode.draw import heat, measure, seismogram, snapshot, threads, topology
from homenode.draw.svg import LOOKS
from homenode.id_list import join, parse
from homenode.timeline import Interval, Timeline

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [t.text for t in ET.fromstring(svg).iter(f"{SVG}text") if t.text]


@pytest.mark.parametrize("name", ["duo-2x4", "sparse-power"])
def test_pictures_of_captured_machines(name: str) -> None:
    command = shutil.which("homenode")
    if command is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    file = ROOT / f"tests/machines/{name}.xml"
    words = [command, "topology", "--input", str(file), "--svg"]
    svg = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    golden = GOLDEN / "topology" / f"{name}.svg"
    if os.environ.get("HOMENODE_UPDATE_GOLDEN"):
        golden.write_text(svg)
    assert svg == golden.read_text()


def test_a_picture_escapes_names_and_needs_nothing_else() -> None:
    svg = topology.draw(machine(name="homenode-<&-\x01"))
    assert "homenode-&lt;&amp;-?" in svg
    assert "<&" not in svg
    assert 'viewBox="0 0 960 ' in svg
    assert "prefers-color-scheme:dark" in svg
    assert "href" not in svg and "url(" not in svg


def test_a_machine_is_drawn_with_all_its_parts() -> None:
    devices = [
        {"name": "eth0", "kind": "network", "nodes": [2]},
        {"name": "sda", "kind": "block", "nodes": []},
        {"name": "gpu", "kind": "gpu", "nodes": [0, 2]},
    ]
    distances = {"provenance": "firmware", "nodes": [0, 2], "values": [[10, 21], [21, 10]]}
    shown = texts(
        topology.draw(
            machine(
                devices=devices,
                distances=distances,
                offline_cpus=[8],
                allowed={"cpus": [0, 1], "nodes": [0, 9]},
            )
        )
    )
    for line in (
        "3 nodes, 2 packages, 8 CPUs, 5.5 GiB",
        "package 1",
        "outside the packages",
        "no CPUs",
        "512 MiB",
        "eth0 (network)",
        "Caches: L1 32 KiB per CPU",
        "Devices of unknown place: sda (block)",
        "Devices near nodes 0,2: gpu (gpu)",
        "Offline: CPU 8",
        "This process may use only CPUs 0-1 (2 of 8) and the memory of nodes 0,9 (2 of 3)",
        "Distances, from the firmware",
    ):
        assert line in shown


def test_tiers_are_told_where_there_are_several() -> None:
    facts = machine()
    for node, tier in zip(facts["nodes"], (4, 4, 22), strict=True):
        node["tier"] = tier
    assert "Memory tiers, fastest first: nodes 0,2 (tier 4), node 9 (tier 22)" in texts(
        topology.draw(facts)
    )
    facts["nodes"][2]["tier"] = 4
    assert not any("tiers" in text for text in texts(topology.draw(facts)))


def test_what_does_not_fit_on_a_line_is_in_a_tooltip() -> None:
    devices = [{"name": f"device{n}", "kind": "block", "nodes": [0]} for n in range(5)]
    svg = topology.draw(machine(devices=devices))
    assert ">device0 (block), device1 (block…<title>device0 (block), device1 (block)," in svg


def golden(name: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((GOLDEN / "draw" / f"{name}.json").read_text())
    return facts


def made_up() -> dict[str, Any]:
    return golden("measure")


def timeline() -> str:
    intervals = (Interval(7, "user", 0, 400, 100), Interval(7, "sleeping", 400, 1000))
    return threads.draw("x", [threads.Panel("one", Timeline(1, 1000, 0, intervals), {7: "main"})])


EVERY_PICTURE = {
    "topology": lambda: topology.draw(machine()),
    "measure": lambda: measure.draw(made_up()),
    "snapshot": lambda: snapshot.draw(golden("snapshot")),
    "seismogram": lambda: seismogram.draw(golden("seismogram")),
    "threads": timeline,
}
SHAPES = {f"{SVG}{tag}" for tag in ("rect", "circle", "path", "line", "polyline", "polygon")}
COLOUR = re.compile("none|#[0-9a-f]{6}")


@pytest.mark.parametrize("draw", EVERY_PICTURE.values(), ids=EVERY_PICTURE)
def test_colours_are_plain_attributes_and_each_has_its_dark_one(draw: Callable[[], str]) -> None:
    """Programs that know no CSS, as librsvg and CairoSVG know no variables, show the light ones."""
    svg = draw()
    style = re.search("<style>(.*?)</style>", svg, re.DOTALL)
    assert style and "var(" not in svg
    painted = 0
    for element in ET.fromstring(svg).iter():
        for name in (element.get("class") or "").split():
            if look := LOOKS.get(name):
                painted += 1
                assert element.get(look.attribute) == look.light
                assert f" .{name}{{{look.attribute}:{look.dark}}}" in style[1]
        if element.tag in SHAPES and element.get("fill-opacity") is None:
            paints = [element.get("fill"), element.get("stroke")]
            # A line has no inside; what else has no fill of its own is black, or the text's ink.
            filled = element.tag == f"{SVG}line" or paints[0]
            assert filled and any(paints), ET.tostring(element)
            assert all(COLOUR.fullmatch(paint) for paint in paints if paint)
    assert painted > 5


def test_a_measurement_has_a_cell_for_each_pair_of_each_table() -> None:
    svg = measure.draw(made_up())
    assert svg.count("<title>") == 5 * 6 + 4 * 4
    assert "<title>node 1 to node 4: 300.0~ (noisy)</title>" in svg
    assert svg.startswith("<svg ") and svg.endswith("</svg>\n")
    assert "300.0~" in texts(svg)


def test_modelled_figures_say_that_they_are() -> None:
    svg = measure.draw(made_up() | {"provenance": "modelled in the lab on made <up>"})
    assert "modelled in the lab on made &lt;up&gt;" in svg


def test_what_was_not_measured_is_a_dash() -> None:
    facts = made_up()
    facts["matrices"]["read_latency_ns"]["values"][1][2] = None
    assert "<title>node 1 to node 4: -</title>" in measure.draw(facts)


def test_without_latencies_the_first_kernel_stands_for_all() -> None:
    facts = made_up()
    read = facts["matrices"]["read_mib_per_s"]
    facts["matrices"] = dict.fromkeys(facts["matrices"]) | {"triad_mib_per_s": read}
    assert measure.draw(facts).count("MiB/s, triad") == 1


def test_dearer_is_deeper() -> None:
    rows = [[100.0, 150.0, 300.0], [None, 100.0, 300.0]]
    assert heat.depths(rows) == [[0.0, 0.25, 1.0], [None, 0.0, 1.0]]
    assert heat.depths([[2.0, 1.0]], more_is_better=True) == [[0.0, 1.0]]
    assert heat.depths([[5.0, 5.0]], more_is_better=True) == [[0.0, 0.0]]
    assert heat.opacity(None) == "0.00"
    shown = [float(heat.opacity(depth / 10)) for depth in range(11)]
    assert shown == sorted(shown) and shown[0] > 0 and shown[-1] < 1


@pytest.mark.parametrize("text", ["", "0", "0-3", "0,2,4-6", "7-8,64"])
def test_lists_of_ids_are_read_and_written(text: str) -> None:
    assert join(parse(text)) == text
