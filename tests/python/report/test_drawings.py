"""Words, numbers and drawings."""

import re
import xml.etree.ElementTree as ET

import pytest
from synthetic import HP, QUAD

from homenode.draw.heat import root_share
from homenode.node import Node
from homenode.report import machine_svg, matrix_svg
from homenode.report.words import number, percent
from homenode.study.machine import Machine


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0_%"),
        (0.0004, "<_0.1_%"),
        (0.0006, "0.1_%"),
        (0.125, "12.5_%"),
        (0.9994, "99.9_%"),
        (0.99951, ">_99.9_%"),
        (1.0, "100_%"),
    ],
)
def test_only_what_is_exact_is_written_as_0_or_100(share: float, text: str) -> None:
    assert percent(share).replace("\N{NARROW NO-BREAK SPACE}", "_") == text


def test_numbers_are_readable() -> None:
    assert number(1234567).split("\N{NARROW NO-BREAK SPACE}") == ["1", "234", "567"]


def test_a_matrix_draws_each_cell_with_its_value() -> None:
    svg = ET.fromstring(matrix_svg.draw([[75, 0], [0, 25]], [0, 5], "a <label>", "reads"))
    cells = [e for e in svg.iter("rect") if e.get("class") is None]
    titles = [t.text.replace("\N{NARROW NO-BREAK SPACE}", " ") for t in svg.iter("title") if t.text]
    assert svg.get("aria-label") == "a <label>"
    assert titles == [
        "node 0 → node 0: 75 reads, 75.0 % of all",
        "node 0 → node 5: 0 reads, 0 % of all",
        "node 5 → node 0: 0 reads, 0 % of all",
        "node 5 → node 5: 25 reads, 25.0 % of all",
    ]
    strength = [float(c.get("fill-opacity", "")) for c in cells]
    assert strength == pytest.approx([1.0, 0.0, 0.0, (25 / 75) ** 0.5], abs=1e-3)
    assert [(c.get("x"), c.get("y")) for c in cells] == [
        ("0", "0"),
        ("10", "0"),
        ("0", "10"),
        ("10", "10"),
    ]


def test_more_is_never_drawn_weaker() -> None:
    strengths = [root_share(v, 100) for v in (0, 1, 10, 50, 100, 200)]
    assert strengths == sorted(strengths) and strengths[0] == 0 and strengths[-1] == 1


def test_an_empty_matrix_can_be_drawn() -> None:
    assert "0" in matrix_svg.draw([[0, 0], [0, 0]], [0, 1], "empty", "reads")


def boxes(svg: ET.Element) -> list[tuple[float, float, float, float]]:
    groups = [g for g in svg.iter("g") if g.get("class") == "node"]
    return [
        tuple(float(g[0].get(k, "nan")) for k in ("x", "y", "width", "height"))  # type: ignore[misc]
        for g in groups
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6, 8, 12, 16])
def test_the_nodes_of_a_machine_lie_apart_and_inside_the_drawing(count: int) -> None:
    nodes = tuple(Node(3 * i, (2 * i, 2 * i + 1), 1 << 30) for i in range(count))
    machine = Machine("m", "", "host", nodes, ())
    svg = ET.fromstring(machine_svg.draw(machine))
    width, height = (float(v) for v in svg.get("viewBox", "").split()[2:])
    placed = boxes(svg)
    assert len(placed) == count
    for x, y, w, h in placed:
        assert x >= 0 and y >= 0 and x + w <= width and y + h <= height
    for i, (x1, y1, w, h) in enumerate(placed):
        for x2, y2, _, _ in placed[:i]:
            assert abs(x1 - x2) >= w or abs(y1 - y2) >= h


def test_lines_join_the_nearest_pairs_alone() -> None:
    assert machine_svg.draw(HP).count("<line") == 12  # A cube: three neighbours each.
    assert machine_svg.draw(QUAD).count("<line") == 6
    assert machine_svg.nearest_distance(HP) == 16
    assert machine_svg.nearest_distance(Machine("m", "", "host", HP.nodes, ())) is None


def test_nodes_without_cpus_or_memory_say_so() -> None:
    machine = Machine("m", "", "host", (Node(0, (), 1 << 30), Node(2, (0,), 0)), ())
    texts = re.findall(r'class="what"[^>]*>([^<]+)<', machine_svg.draw(machine))
    assert texts == ["no CPUs · 1 GiB", "1 CPUs · no memory"]
