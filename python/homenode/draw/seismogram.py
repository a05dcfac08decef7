"""Draws what the receivers of `bench seismic` felt: one curve below the other, to one scale."""

from collections.abc import Sequence

from homenode.draw.axes import tick_unit, ticks
from homenode.draw.png import is_number
from homenode.draw.svg import Drawing
from homenode.draw.words import Json

SCHEMA = "homenode.bench.seismic.seismogram/2"
PAGE_WIDTH = 840
LEFT, TOP, WIDTH, LANE = 170.0, 84.0, 640.0, 38.0

Trace = Sequence[float | None]


def draw(facts: Json) -> str:
    """An SVG of the traces; the exact motion, where it is known, dashed on top of each."""
    drawing = Drawing("hn-traces", 12)
    receivers = facts["receivers"]
    sizes = [abs(v) for r in receivers for v in r["velocity_m_per_s"] if is_number(v)]
    most = max(sizes, default=0.0)
    scale = LANE * 0.6 / most if most > 0.0 else 0.0
    bottom = TOP + LANE * len(receivers)
    bar = 4 * tick_unit(most) if most > 0.0 else 0.0
    known = any(receiver["exact_m_per_s"] for receiver in receivers)
    curves = "blue: computed, dashed: the closed form" if known else "blue: computed"
    what = f"ground velocity, the bar is {bar:.3g} m/s; receivers at x y z in m from the source"
    drawing.text(20, 30, "Seismograms", size=17, bold=True)
    drawing.text(20, 52, f"{what}; {curves}", "soft")
    top = TOP + 0.5 * (LANE - bar * scale)
    way = f"M{LEFT + WIDTH + 14:.1f} {top:.1f}v{bar * scale:.1f}"
    drawing.add("path", "inked", d=way, fill="none", stroke_width="1.8")
    drawing.text(LEFT + 0.5 * WIDTH, bottom + 38, "time, s", "soft", anchor="middle")
    _time_axis(drawing, facts, bottom)
    for lane, receiver in enumerate(receivers):
        base = TOP + LANE * (lane + 0.5)
        # In one piece: CairoSVG puts a second one at the end of the line over the first.
        name = receiver["component"] + " " + _place(receiver)
        drawing.text(LEFT - 12, base + 4, name, anchor="end")
        _curve(drawing, receiver["velocity_m_per_s"], base, scale, "ours")
        if receiver["exact_m_per_s"]:
            _curve(drawing, receiver["exact_m_per_s"], base, scale, "exact", dashes="4 4")
    return drawing.finish(PAGE_WIDTH, round(bottom + 54))


def _place(receiver: Json) -> str:
    return "at " + " ".join(str(metres) for metres in receiver["place_m"])


def _time_axis(drawing: Drawing, facts: Json, bottom: float) -> None:
    """Lines and numbers of the time below all curves."""
    begin, step = facts["first_s"], facts["step_s"]
    length = step * (facts["steps"] - 1)
    for time in ticks(begin, begin + length) if length > 0 else ():
        x = LEFT + (time - begin) / length * WIDTH
        drawing.add("line", "ruled", x1=x, x2=x, y1=TOP - 12, y2=bottom)
        drawing.text(x, bottom + 18, f"{time:.6g}", "soft", anchor="middle")


def _curve(
    drawing: Drawing, trace: Trace, base: float, scale: float, look: str, dashes: str | None = None
) -> None:
    """A path; it is interrupted where there is no number."""
    across = WIDTH / (max(len(trace), 2) - 1)
    words: list[str] = []
    letter = "M"
    for n, value in enumerate(trace):
        if value is None or not is_number(value):
            letter = "M"
            continue
        words.append(f"{letter}{LEFT + n * across:.1f} {base - value * scale:.1f}")
        letter = "L"
    drawing.add(
        "path",
        look,
        d="".join(words),
        fill="none",
        stroke_width="1.8",
        stroke_dasharray=dashes,
    )
