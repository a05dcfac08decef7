"""Elements of SVG, and a drawing with its colours.

Each element has its light colour as a plain attribute, so that a drawing looks right in programs
that know no CSS. A style on top turns the drawing dark where the reader's browser is.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from html import escape

FONT = "system-ui,-apple-system,Segoe UI,sans-serif"


@dataclass(frozen=True)
class Paint:
    """What a look paints, `fill` or `stroke`, and its colours in light and in dark mode."""

    attribute: str
    light: str
    dark: str


INK, SOFT, BACK, EDGE = (
    ("#1c2024", "#e8ebee"),
    ("#5c6670", "#a2adb8"),
    ("#ffffff", "#14181c"),
    ("#c3cad1", "#48535e"),
)
LOOKS = {
    "soft": Paint("fill", *SOFT),
    "back": Paint("fill", *BACK),
    "package": Paint("fill", "#f3f5f7", "#1d2329"),
    "node": Paint("fill", "#ffffff", "#262e36"),
    "cpu": Paint("fill", "#d7e6f7", "#27496d"),
    "memory": Paint("fill", "#2f7fd1", "#5aa2ec"),
    "empty": Paint("fill", "#e3e7eb", "#38424c"),
    "tint": Paint("fill", "#f08c2e", "#b5560f"),
    "computing": Paint("fill", "#2f7fd1", "#5aa2ec"),
    "stalled": Paint("fill", "#f08c2e", "#d9822b"),
    "spinning": Paint("fill", "#c2325a", "#e8648a"),
    "kernel": Paint("fill", "#6b7680", "#94a0ac"),
    "ready": Paint("fill", "#e0c341", "#c9ad2c"),
    "sleeping": Paint("fill", "#d8dee4", "#38424c"),
    "edged": Paint("stroke", *EDGE),
    "parted": Paint("stroke", *BACK),
    "inked": Paint("stroke", *INK),
    "ruled": Paint("stroke", "#dfe4e8", "#333c45"),
    "ours": Paint("stroke", "#2f7fd1", "#5aa2ec"),
    "exact": Paint("stroke", "#d1622f", "#f2955f"),
}
_FORBIDDEN = re.compile(r"[\x00-\x1f\ufffe\uffff]")


def clean(text: str) -> str:
    """Text with XML's own characters escaped; characters that XML forbids become '?'."""
    return escape(_FORBIDDEN.sub("?", text))


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value) if type(value) is int else clean(str(value))


@cache
def _name(keyword: str) -> str:
    """The name of an attribute whose keyword in Python is this."""
    return keyword.rstrip("_").replace("_", "-")


def element(tag: str, *content: str, **attributes: object) -> str:
    """An element around finished content.

    Of an attribute's name, '_' stands for '-' and is dropped at the end. Fractions get one digit;
    an attribute that is None is left out.
    """
    words = "".join(
        [
            f' {_name(name)}="{_shown(value)}"'
            for name, value in attributes.items()
            if value is not None
        ]
    )
    return f"<{tag}{words}>{''.join(content)}</{tag}>" if content else f"<{tag}{words}/>"


@dataclass
class Drawing:
    """Collects elements; `scope` is the class that keeps its style to itself on a page."""

    scope: str
    font_size: int = 13
    parts: list[str] = field(default_factory=list)
    _used: dict[str, None] = field(default_factory=dict)

    def look(self, names: str, **more: object) -> dict[str, object]:
        """The attributes of some looks (their names between blanks), and more of them."""
        attributes: dict[str, object] = {"class_": names} if names else {}
        for name in names.split():
            if name in LOOKS:
                self._used[name] = None
                attributes[LOOKS[name].attribute] = LOOKS[name].light
        return attributes | more

    def add(self, tag: str, look: str = "", *content: str, **attributes: object) -> None:
        """Adds an element with the looks that are named."""
        self.parts.append(element(tag, *content, **attributes, **self.look(look)))

    def text(
        self,
        x: float,
        y: float,
        words: str,
        look: str = "",
        *,
        size: int | None = None,
        anchor: str | None = None,
        bold: bool = False,
        tip: str = "",
    ) -> None:
        """Adds words at a point: their left end, or where `anchor` says (middle, end)."""
        self.parts.append(
            element(
                "text",
                clean(words) + (element("title", clean(tip)) if tip else ""),
                x=x,
                y=y,
                font_size=size,
                font_weight=600 if bold else None,
                text_anchor=anchor,
                **self.look(look),
            )
        )

    def box(self, x: float, y: float, width: float, height: float, look: str, radius: int) -> None:
        """Adds a rectangle with round corners."""
        self.add("rect", look, x=x, y=y, width=width, height=height, rx=radius)

    def finish(self, width: int, height: int, title: str = "", *, scales: bool = False) -> str:
        """The whole SVG on a background of its own: as large as it says, or `scales` to a page."""
        ground = element("rect", width=width, height=height, **self.look("back"))
        head = [element("title", clean(title))] if title else []
        size: dict[str, object] = {"width": width, "height": height}
        if scales:
            size = {"role": "img", "style": f"width:100%;max-width:{width}px"}
        root = {
            "xmlns": "http://www.w3.org/2000/svg",
            "class_": self.scope,
            "viewBox": f"0 0 {width} {height}",
            **size,
            "fill": INK[0],
            "font_family": FONT,
            "font_size": self.font_size,
        }
        lines = ["", *head, self._style(), ground, *self.parts, ""]
        return element("svg", "\n".join(lines), **root) + "\n"

    def _style(self) -> str:
        """What the dark mode changes; a rule of a style is stronger than an attribute."""
        rules = [f".{self.scope}{{fill:{INK[1]}}}"]
        rules += [
            f".{self.scope} .{name}{{{LOOKS[name].attribute}:{LOOKS[name].dark}}}"
            for name in self._used
        ]
        return element("style", "@media (prefers-color-scheme:dark){" + "".join(rules) + "}")
