"""The picture of what threads did when."""

import re
import xml.etree.ElementTree as ET

from homenode.draw.svg import LOOKS
from homenode.draw.threads import BAR, LEFT, MOST_ARROWS, PARTS, WIDTH, Panel, draw
from homenode.timeline import Interval, Timeline

SVG = "{http://www.w3.org/2000/svg}"
PS = 860_000  # A thousand for each point.


def picture(*intervals: Interval, dropped: int = 0) -> ET.Element:
    return ET.fromstring(
        draw("x", [Panel("one", Timeline(1, PS, dropped, intervals), {7: "main"})])
    )


def texts(svg: ET.Element) -> list[str]:
    return [t.text for t in svg.iter(f"{SVG}text") if t.text]


def boxes(svg: ET.Element, look: str) -> list[tuple[int, int, int]]:
    """From the left, width and height of what a look paints in the rows."""
    ways = [p.get("d", "") for p in svg.iter(f"{SVG}path") if p.get("class") == look]
    found = re.findall(r"M(\d+) \d+h(\d+)v(\d+)h-\d+z", "".join(ways))
    return [(int(x) - LEFT, int(width), int(height)) for x, width, height in found]


def test_each_activity_has_its_place_and_its_colour():
    svg = picture(
        Interval(7, "user", 0, 100_000),
        Interval(7, "spinning", 100_000, 300_000),
        Interval(7, "sleeping", 300_000, 860_000),
    )
    assert "main" in texts(svg)
    assert boxes(svg, "computing") == [(0, 100, BAR)]
    assert boxes(svg, "spinning") == [(100, 200, BAR)]
    assert boxes(svg, "sleeping") == [(300, 560, BAR)]
    for path in svg.iter(f"{SVG}path"):
        assert path.get("fill") == LOOKS[path.get("class", "")].light


def test_the_wait_for_memory_is_a_share_of_the_height():
    svg = picture(Interval(7, "user", 0, PS, PS // 4))
    assert boxes(svg, "computing") == [(0, WIDTH, BAR * 3 // 4)]
    assert boxes(svg, "stalled") == [(0, WIDTH, BAR // 4)]


def test_thousands_of_intervals_below_a_point_become_shares():
    short = [
        Interval(7, "kernel" if n % 2 else "sleeping", n * 10, n * 10 + 10) for n in range(86_000)
    ]
    svg = picture(*short)
    assert boxes(svg, "kernel") == boxes(svg, "sleeping") == [(0, WIDTH, BAR // 2)]


def test_a_few_wake_ups_have_arrows_and_many_have_none():
    few = [Interval(7, "sleeping", 0, 10_000, 0, 5_000, 8), Interval(8, "user", 0, PS)]
    svg = picture(*few)
    (line,) = (one for one in svg.iter(f"{SVG}line") if one.get("class") == "inked")
    assert float(line.get("x1", "")) == LEFT + 5 and float(line.get("x2", "")) == LEFT + 10
    many = [Interval(7, "sleeping", n, n + 1, 0, n, 8) for n in range(MOST_ARROWS + 1)]
    svg = picture(*many)
    assert not [one for one in svg.iter(f"{SVG}line") if one.get("class") == "inked"]
    assert any("too many for arrows" in text for text in texts(svg))


def test_it_says_that_time_is_modelled_and_what_is_missing():
    svg = picture(Interval(7, "user", 0, PS), dropped=5)
    assert any("modelled time, not measured" in text for text in texts(svg))
    assert any("5 intervals found no room" in text for text in texts(svg))
    assert {words for _, words in PARTS} <= set(texts(svg))


def test_regions_stand_one_below_the_other_and_none_is_said():
    one = Timeline(1, PS, 0, [Interval(0, "user", 0, PS)])
    svg = ET.fromstring(draw("x", [Panel(f"region {n}", one, {}) for n in range(10)]))
    titles = [text for text in texts(svg) if text.startswith("region")]
    assert titles == [f"region {n}, 860 ns" for n in range(8)]
    assert any("and 2 more regions" in text for text in texts(svg))
    empty = ET.fromstring(draw("x", []))
    assert "no region of interest was timed" in texts(empty)


def test_what_reaches_beyond_the_end_is_cut():
    svg = picture(Interval(7, "kernel", 800_000, 900_000))
    assert boxes(svg, "kernel") == [(800, 60, BAR)]
    assert draw("x", [Panel("none", Timeline(1, 0, 0, []), {})])
