"""Renders the page of a workload that measures figures: a chart and a table for each metric."""

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from homenode.claims.judge import JudgedPaper
from homenode.report import claims_text, lines_svg, machine_svg, reproduce
from homenode.report.figures import Bar, FigureView, Group, Panel
from homenode.report.page import (
    each_once,
    template,
    told_apart,
    versions_of,
)
from homenode.report.templating import asset
from homenode.report.words import ratio, shortened, width_of

WIDTH = 360
BAR_LEFT, BAR_FULL = 136.0, 132.0
LINE, BAR, TOP = 15, 10, 4


def render(
    views: Sequence[FigureView], records_paths: Sequence[str], papers: Sequence[JudgedPaper] = ()
) -> str:
    """The whole page as text, with what the papers claim on top."""
    records = [record for view in views for record in view.records]
    workloads = list({view.workload.name: view.workload for view in views}.values())
    one = len(workloads) == 1
    names = [v.machine.name if one else f"{v.workload.name} on {v.machine.name}" for v in views]
    return template("figures.html").render(
        views=views,
        workloads=workloads,
        names=told_apart(names),
        papers=papers,
        printed=claims_text.printed,
        counts=claims_text.counts,
        form=claims_text.form,
        alike=claims_text.alike,
        title=each_once(records, "title"),
        study=each_once(records, "study"),
        commands=reproduce.commands(records, records_paths),
        style=asset("page.css"),
        draw=draw,
        has_lines=lambda group: lines_svg.can_draw(group.bars),
        draw_lines=draw_lines,
        figure=figure_text,
        draw_machine=lambda machine: Markup(machine_svg.draw(machine)),
        versions=versions_of(records),
    )


def figure_text(value: float) -> str:
    """A figure with four significant digits."""
    return f"{value:.4g}"


def draw_lines(panel: Panel, group: Group) -> Markup:
    """A line for each placement over the number of threads."""
    title = f"{panel.metric.name} {group.label} over threads, {panel.label}"
    return Markup(lines_svg.draw(group.bars, title, panel.metric.unit))


def _bar_name(placement: str, bar: Bar) -> str:
    return " · ".join(filter(None, (placement, bar.threads and f"{bar.threads} threads")))


def draw(panel: Panel, group: Group) -> Markup:
    """A bar for each placement and number of threads; the thin line spans all runs."""
    longest = max((bar.high for bar in group.bars), default=0.0) or 1.0
    names = [_bar_name(shortened(bar.placement), bar) for bar in group.bars]
    left = max(BAR_LEFT, width_of(names) + 8)
    parts = []
    for index, (bar, name) in enumerate(zip(group.bars, names, strict=True)):
        y = TOP + index * LINE
        middle, base = y + LINE / 2, y + LINE / 2 + 3.5
        low, value, high = (BAR_FULL * v / longest for v in (bar.low, bar.value, bar.high))
        text = f"{figure_text(bar.value)} {panel.metric.unit}"
        full = _bar_name(bar.placement, bar)
        if bar.relative is not None:
            text += f" ({ratio(bar.relative)})"
        spread = (
            f'<path class="spread" d="M{left + low:.1f} {middle:.1f}H{left + high:.1f}"/>'
            if len(bar.values) > 1
            else ""
        )
        parts.append(
            f'<g class="bar"><title>{escape(f"{full}: {text}, {panel.label}")}</title>'
            f'<rect class="length" x="{left:.1f}" y="{middle - BAR / 2:.1f}" '
            f'width="{max(1.0, value):.1f}" height="{BAR}"/>{spread}'
            f'<text x="{left - 4:.1f}" y="{base:.1f}" text-anchor="end">{escape(name)}</text>'
            f'<text x="{left + high + 4:.1f}" y="{base:.1f}">{escape(text)}</text></g>'
        )
    label = f"{panel.metric.name} {group.label}, {panel.label}; the table has the values"
    height = TOP + LINE * len(group.bars)
    return Markup(
        f'<svg class="times" viewBox="0 0 {WIDTH - BAR_LEFT + left:.0f} {height}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )
