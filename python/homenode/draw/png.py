"""A plane of values as a PNG picture: blue below 0, red above, white at 0."""

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_POINTS = 640  # Along the shorter side of a picture, about.
BLUE, RED = (12, 62, 140), (160, 24, 30)
SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Plane:
    """`height` rows of `width` values, the first row at the bottom. None is no number."""

    width: int
    height: int
    values: Sequence[float | None]

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1 or len(self.values) != self.width * self.height:
            raise ValueError(
                f"a plane of {self.width} x {self.height} cells has {len(self.values)} values"
            )


def is_number(value: float | None) -> bool:
    """Whether it is a finite number."""
    return value is not None and math.isfinite(value)


def scale_of(plane: Plane) -> float:
    """What 99.5 % of all values are below, signs left aside; 0 where all are 0."""
    sizes = sorted(abs(value or 0.0) if is_number(value) else 0.0 for value in plane.values)
    return sizes[len(sizes) * 995 // 1000] or sizes[-1]


def png(plane: Plane, scale: float, zoom: int = 1) -> bytes:
    """The picture; the values +-scale and beyond are darkest, each cell is zoom x zoom points."""
    entries = bytes(_entry(value, scale) for value in plane.values)
    picture = bytearray()
    for y in reversed(range(plane.height)):
        row = entries[y * plane.width : (y + 1) * plane.width]
        wide = bytes(entry for entry in row for _ in range(zoom)) if zoom > 1 else row
        picture += (b"\0" + wide) * zoom  # No filter.
    # Eight bits, a palette, nothing interlaced.
    header = struct.pack(">IIBBBBB", plane.width * zoom, plane.height * zoom, 8, 3, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"PLTE", _palette())]
    chunks += [(b"IDAT", zlib.compress(picture, 6)), (b"IEND", b"")]
    return SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def own_scale(plane: Plane) -> bytes:
    """The picture to the plane's own scale, small planes with several points a cell."""
    return png(plane, scale_of(plane), max(1, LEAST_POINTS // min(plane.width, plane.height)))


def link(picture: bytes) -> str:
    """The picture as the value of an `href`."""
    return "data:image/png;base64," + base64.b64encode(picture).decode("ascii")


def _entry(value: float | None, scale: float) -> int:
    """Of the palette; 128 is 0."""
    if value is None or not scale > 0.0 or math.isnan(value):
        return 128
    part = max(-1.0, min(1.0, value / scale)) * 127.0
    return 128 + int(math.copysign(math.floor(abs(part) + 0.5), part))


def _palette() -> bytes:
    """From blue over white to red."""
    colours = bytearray()
    for entry in range(256):
        strength = min(1.0, abs(entry - 128) / 127.0)
        for full in BLUE if entry < 128 else RED:
            colours.append(round(255.0 + strength * (full - 255.0)))
    return bytes(colours)


def _chunk(name: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + name
        + content
        + struct.pack(">I", zlib.crc32(name + content))
    )
