"""The comparison as text, and as one self-contained HTML page."""

from homenode.fleet.compare import LEAST_SHARE, MOST_DEVIATIONS, Comparison, Unlike
from homenode.pages.content import Cell, Page, Section, Table, name
from homenode.pages.html import render

RULE = (
    f"Unlike is what is more than {MOST_DEVIATIONS:g} scaled MADs, and more than "
    f"{LEAST_SHARE:.0%}, off the median of all."
)


def summary(found: Comparison) -> str:
    """One sentence."""
    names = dict.fromkeys([o.computer for o in found.odd] + [u.computer for u in found.unlike])
    if not names:
        return f"All {len(found.computers)} computers are alike."
    verb = "is" if len(names) == 1 else "are"
    return f"Of {len(found.computers)} computers, {', '.join(names)} {verb} unlike the others."


def _line(u: Unlike) -> str:
    unit = u.spread.key.unit
    return (
        f"{u.computer}: {u.spread.key} is {u.value:.4g} {unit}, {u.share:+.1%} off the median "
        f"{u.spread.median:.4g} {unit} (MAD {u.spread.mad:.2g})"
    )


def text(found: Comparison) -> str:
    """For a terminal."""
    lines = [summary(found), RULE]
    lines += [f"{o.computer}: {o.setting} {o.value}; most have {o.usual}" for o in found.odd]
    return "\n".join(lines + [_line(u) for u in found.unlike])


def html(found: Comparison) -> str:
    """The page; nothing in it comes from elsewhere."""
    return render(
        Page(
            over="homenode · fleet",
            title="Nodes unlike their siblings",
            lead=[summary(found)],
            notes=[RULE],
            sections=[*_settings(found), *_far_off(found), _all(found)],
        )
    )


def _settings(found: Comparison) -> list[Section]:
    rows = [[name(o.computer), name(o.setting), name(o.value), name(o.usual)] for o in found.odd]
    head = ["computer", "setting", "it has", "most have"]
    return [Section("Settings", [Table("Other than most", head, rows)])] if rows else []


def _far_off(found: Comparison) -> list[Section]:
    rows = [
        [
            name(u.computer),
            name(u.spread.key),
            Cell(f"{u.value:.4g} {u.spread.key.unit}"),
            Cell(f"{u.spread.median:.4g}"),
            Cell(f"{100 * u.share:+.1f} %"),
        ]
        for u in found.unlike
    ]
    head = ["computer", "figure", "it has", "median", "off"]
    title = "Figures that are far off"
    return [Section(title, [Table("Against the median", head, rows)])] if rows else []


def _all(found: Comparison) -> Section:
    rows = [
        [
            name(s.key),
            name(s.key.unit),
            Cell(f"{s.median:.4g}"),
            Cell(f"{s.mad:.2g}"),
            Cell(str(s.count)),
        ]
        for s in found.spreads
    ]
    head = ["figure", "unit", "median", "MAD", "computers"]
    return Section("All figures", [Table("Over all computers", head, rows)])
