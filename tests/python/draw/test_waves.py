"""The pictures of `bench seismic`: planes with axes and a scale, planes alone, and traces."""

import json
import math
import struct
import xml.etree.ElementTree as ET
import zlib
from pathlib import Path
from typing import Any

import pytest

from homenode.draw import png, seismogram, snapshot
from homenode.draw.axes import round_up, tick_unit, ticks
from homenode.draw.png import Plane

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "draw"


def recorded(name: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((GOLDEN / name).read_text())
    return facts


def chunks(picture: bytes) -> dict[bytes, bytes]:
    """The content of each chunk of a PNG, whose check sums are right."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    found, at = {}, 8
    while at < len(picture):
        (length,) = struct.unpack_from(">I", picture, at)
        name, content = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        (sum_,) = struct.unpack_from(">I", picture, at + 8 + length)
        assert sum_ == zlib.crc32(name + content)
        found[name] = content
        at += 12 + length
    assert name == b"IEND"
    return found


def pixels(picture: bytes) -> list[bytes]:
    parts = chunks(picture)
    width, height = struct.unpack_from(">II", parts[b"IHDR"])
    rows = zlib.decompress(parts[b"IDAT"])
    assert len(rows) == height * (width + 1)
    return [rows[y * (width + 1) + 1 : (y + 1) * (width + 1)] for y in range(height)]


def test_a_plane_is_a_png_with_the_lowest_row_last() -> None:
    values: list[float | None] = [0.0] * (400 * 700)
    assert struct.unpack_from(">II", chunks(png.own_scale(Plane(400, 700, values)))[b"IHDR"]) == (
        400,
        700,
    )
    values[0] = 1.0
    rows = pixels(png.own_scale(Plane(400, 700, values)))
    assert rows[-1][0] == 255 and set(rows[-1][1:]) == {128} and set(b"".join(rows[:-1])) == {128}


@pytest.mark.parametrize("value", [None, math.nan])
def test_what_is_no_number_is_white(value: float | None) -> None:
    assert pixels(png.png(Plane(3, 1, [value, -1.0, 2.0]), 1.0)) == [bytes([128, 1, 255])]


def test_a_small_plane_has_several_points_a_cell() -> None:
    rows = pixels(png.png(Plane(2, 1, [-1.0, 1.0]), 1.0, 2))
    assert rows == [bytes([1, 1, 255, 255])] * 2


def test_the_palette_is_blue_below_and_red_above_zero() -> None:
    palette = chunks(png.png(Plane(1, 1, [0.0]), 0.0))[b"PLTE"]
    assert len(palette) == 768
    assert palette[128 * 3 : 129 * 3] == b"\xff\xff\xff"
    assert tuple(palette[3:6]) == (12, 62, 140) and tuple(palette[-3:]) == (160, 24, 30)


def test_a_plane_needs_as_many_values_as_cells() -> None:
    with pytest.raises(ValueError, match="2 x 3 cells has 5 values"):
        Plane(2, 3, [0.0] * 5)


def test_the_scale_leaves_out_the_few_largest_values() -> None:
    assert png.scale_of(Plane(1000, 1, [1.0] * 999 + [-50.0])) == 1.0
    assert png.scale_of(Plane(1000, 1, [0.0] * 999 + [-50.0])) == 50.0
    assert png.scale_of(Plane(2, 1, [math.nan, None])) == 0.0


def test_a_drawing_has_axes_and_a_scale_with_units() -> None:
    facts = recorded("snapshot.json")
    text = snapshot.draw(facts)
    for part in (
        ">Ground velocity vz, 1.12 s after the start<",
        ">m/s<",
        ">depth, km<",
        ">-2<",
        ">2<",
        ">x from the source, km<",
        'class="roof"',
        'class="face"',
        'class="source"',
    ):
        assert part in text
    assert "nan" not in text
    ET.fromstring(text)


@pytest.mark.parametrize("offset", [(0.0, 0.0, 0.0), (0.5, 0.0, 0.5)])
def test_a_value_is_drawn_where_it_lies_on_the_staggered_grid(
    offset: tuple[float, float, float],
) -> None:
    """The square of the value at the source has the source's dot in its middle."""
    facts = recorded("snapshot.json")
    assert facts["component"] == "vz" and facts["offset"] == [0.5, 0.0, 0.5]
    column, row = 32, 30
    facts["offset"] = offset
    facts["source"] = [column + offset[0], 25.0, row + offset[2]]
    drawn = ET.fromstring(snapshot.draw(facts))
    image = next(e for e in drawn.iter() if e.tag.endswith("image")).attrib
    dot = next(e for e in drawn.iter() if e.get("class") == "source").attrib
    side = float(image["width"]) / facts["width"]
    assert float(dot["cx"]) == pytest.approx(float(image["x"]) + (column + 0.5) * side, abs=0.1)
    bottom = float(image["y"]) + float(image["height"])
    assert float(dot["cy"]) == pytest.approx(bottom - (row + 0.5) * side, abs=0.1)


def test_a_plane_where_nothing_moves_has_no_scale_to_divide_by() -> None:
    facts = recorded("snapshot.json")
    facts["values"] = [0.0] * len(facts["values"])
    assert "nan" not in snapshot.draw(facts)


def test_a_stress_and_the_length_of_the_velocity_have_their_names() -> None:
    facts = recorded("snapshot.json")
    stress = snapshot.draw(facts | {"component": "sxx", "unit": "Pa"})
    assert ">Stress sxx, 1.12 s after the start<" in stress and ">Pa<" in stress
    assert ">Ground velocity in all, 1.12 s" in snapshot.draw(facts | {"component": None})


def test_traces_are_drawn_with_their_exact_ones_dashed() -> None:
    facts = recorded("seismogram.json")
    text = seismogram.draw(facts)
    count = len(facts["receivers"])
    assert "nan" not in text and text.endswith("</svg>\n")
    assert text.count('class="ours"') == count == text.count('stroke-dasharray="4 4"')
    assert "dashed: the closed form" in text
    words = [e.text for e in ET.fromstring(text).iter("{http://www.w3.org/2000/svg}text")]
    assert "vx at 1200 900 0" in words, "not in two pieces, which CairoSVG draws over each other"
    for receiver in facts["receivers"]:
        receiver["exact_m_per_s"] = None
    alone = seismogram.draw(facts)
    assert "stroke-dasharray" not in alone and "closed form" not in alone


def test_a_trace_is_interrupted_where_there_is_no_number() -> None:
    facts = recorded("seismogram.json")
    facts["receivers"] = facts["receivers"][:1]
    facts["receivers"][0] |= {"velocity_m_per_s": [1.0, None, 1.0, 2.0], "exact_m_per_s": None}
    paths = [e.get("d", "") for e in ET.fromstring(seismogram.draw(facts)).iter() if e.get("d")]
    assert [sum(c == letter for c in paths[-1]) for letter in "ML"] == [2, 1]


def test_ticks_are_round_numbers() -> None:
    assert [tick_unit(extent) for extent in (1.0, 0.35, 12.0, 70.0)] == pytest.approx(
        [0.2, 0.05, 2.0, 10.0]
    )
    assert list(ticks(-1.0, 1.0)) == pytest.approx([-1, -0.5, 0, 0.5, 1], abs=1e-9)
    assert list(ticks(1.0, -1.0)) == list(ticks(-1.0, 1.0))
    assert round_up(1.7) == pytest.approx(1.8) and round_up(0.0) == 0.0
