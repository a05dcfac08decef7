"""Draws a plane of a wave field: the picture within axes, beside its scale."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from homenode.draw import png
from homenode.draw.axes import Ruler, round_up
from homenode.draw.png import Plane
from homenode.draw.svg import Drawing
from homenode.draw.words import Json

SCHEMA = "homenode.bench.seismic.snapshot/1"
LONGEST_SIDE, LEFT, TOP = 560.0, 74.0, 72.0
BAR_WIDTH = 16.0
MARK, SOURCE = "#5c6670", "#111111"  # On the picture, which is the same in light and dark.
AXES = "xyz"


def plane_of(facts: Json) -> Plane:
    """The values of a snapshot; raises ValueError when there are too few or too many."""
    return Plane(int(facts["width"]), int(facts["height"]), facts["values"])


def draw_png(facts: Json) -> bytes:
    """The cells alone."""
    return png.own_scale(plane_of(facts))


def draw(facts: Json) -> str:
    """An SVG: km from the source, or depth below a free surface; m/s or Pa."""
    return _Painter(facts, plane_of(facts)).paint()


@dataclass(frozen=True)
class _Axis:
    number: int
    ruler: Ruler
    name: str


class _Painter:
    def __init__(self, facts: Json, plane: Plane) -> None:
        self.facts, self.plane = facts, plane
        self.drawing = Drawing("hn-waves", 12)
        self.km = facts["spacing_m"] / 1000
        self.axis = int(facts["axis"])
        self.offset = facts.get("offset", (0.0, 0.0, 0.0))
        points = LONGEST_SIDE / max(plane.width, plane.height)
        self.across = self._across(1 if self.axis == 0 else 0, points)
        self.up = self._up(1 if self.axis == 2 else 2, points)

    def _across(self, number: int, points: float) -> _Axis:
        zero = self.facts["source"][number]
        ruler = Ruler(self.plane.width, points, LEFT, False, zero, self.km, self.offset[number])
        return _Axis(number, ruler, f"{AXES[number]} from the source, km")

    def _up(self, number: int, points: float) -> _Axis:
        cells = self.plane.height
        is_depth = number == 2 and self.facts["free_surface"]
        zero = cells - 1 if is_depth else self.facts["source"][number]
        km = -self.km if is_depth else self.km
        bottom = TOP + cells * points
        ruler = Ruler(cells, points, bottom, True, zero, km, self.offset[number])
        name = "depth, km" if is_depth else f"{AXES[number]} from the source, km"
        return _Axis(number, ruler, name)

    def paint(self) -> str:
        right, bottom = self.across.ruler.end, self.up.ruler.start
        scale = round_up(png.scale_of(self.plane))
        cell = self.facts["cell"] + self.offset[self.axis]
        km = (cell - self.facts["source"][self.axis]) * self.km
        self.drawing.text(20, 28, self._title(), size=17, bold=True)
        self.drawing.text(
            20,
            49,
            f"the plane {AXES[self.axis]} = {km:.2g} km from the source (the dot); "
            "outside the dashed line the grid absorbs",
            "soft",
        )
        self._image(self.plane, scale, (LEFT, TOP, right - LEFT, bottom - TOP))
        self._marks()
        self._axes()
        self._colour_bar(right + 22, bottom - TOP, scale)
        return self.drawing.finish(round(max(right + 110, 560.0)), round(bottom + 56))

    def _title(self) -> str:
        what = "Stress" if self.facts["unit"] == "Pa" else "Ground velocity"
        what += f" {self.facts['component'] or 'in all'}"
        return f"{what}, {self.facts['time_s']:.3g} s after the start"

    def _image(self, plane: Plane, scale: float, place: tuple[float, float, float, float]) -> None:
        x, y, width, height = place
        box: dict[str, Any] = {"x": x, "y": y, "width": width, "height": height}
        self.drawing.add(
            "image",
            preserveAspectRatio="none",
            style="image-rendering:pixelated",
            href=png.link(png.png(plane, scale)),
            **box,
        )
        self.drawing.add("rect", "frame inked", fill="none", **box)

    def _marks(self) -> None:
        """What lies in the plane: layers' roofs, where faces begin, and the source."""
        across, up = self.across.ruler, self.up.ruler
        for y in self._roofs():
            self.drawing.add(
                "line", "roof", x1=across.start, x2=across.end, y1=y, y2=y, stroke=MARK
            )
        if width := self.facts["absorbing_cells"]:
            surface = self.up.number == 2 and self.facts["free_surface"]
            high = up.end if surface else up.at(up.cells - width - 0.5)
            self.drawing.add(
                "rect",
                "face",
                x=across.at(width - 0.5),
                y=high,
                width=(across.cells - 2 * width) * across.points,
                height=up.at(width - 0.5) - high,
                fill="none",
                stroke=MARK,
                stroke_dasharray="5 4",
            )
        source = self.facts["source"]
        self.drawing.add(
            "circle",
            "source",
            cx=across.at(source[self.across.number]),
            cy=up.at(source[self.up.number]),
            r=4,
            fill=SOURCE,
            stroke="#ffffff",
        )

    def _roofs(self) -> Iterator[float]:
        up = self.up.ruler
        for depth in self.facts["layer_depths_m"][1:] if self.up.number == 2 else ():
            y = up.at(up.cells - 1 - depth / self.facts["spacing_m"])
            if y <= up.start:
                yield y

    def _axes(self) -> None:
        across, up = self.across.ruler, self.up.ruler
        for x, km in across.ticks():
            self.drawing.add("line", "inked", x1=x, x2=x, y1=up.start, y2=up.start + 5)
            self.drawing.text(x, up.start + 19, f"{km:.6g}", anchor="middle")
        for y, km in up.ticks():
            self.drawing.add("line", "inked", x1=across.start - 5, x2=across.start, y1=y, y2=y)
            self.drawing.text(across.start - 9, y + 4, f"{km:.6g}", anchor="end")
        middle = 0.5 * (across.start + across.end)
        self.drawing.text(middle, up.start + 38, self.across.name, "soft", anchor="middle")
        turned = f"translate(20 {0.5 * (up.start + up.end):.1f}) rotate(-90)"
        self.drawing.add("text", "soft", self.up.name, text_anchor="middle", transform=turned)

    def _colour_bar(self, x: float, height: float, scale: float) -> None:
        """From -scale at the bottom to scale at the top; 0 in the middle."""
        column = Plane(1, 255, [float(entry) for entry in range(-127, 128)])
        self._image(column, 127.0, (x, TOP, BAR_WIDTH, height))
        for part in (-1.0, -0.5, 0.0, 0.5, 1.0):
            y = TOP + height * 0.5 * (1.0 - part) + 4
            self.drawing.text(x + 22, y, f"{part * scale + 0.0:.2g}")
        self.drawing.text(x, TOP - 10, self.facts["unit"], "soft")
