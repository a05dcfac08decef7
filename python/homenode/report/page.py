"""Renders the page: one HTML file with its style, script and drawings inside. No network, ever."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from homenode.claims.judge import JudgedPaper
from homenode.matrix import local_share
from homenode.report import (
    claims_text,
    contrast,
    machine_svg,
    matrix_svg,
    model,
    paper,
    reproduce,
    rule,
    times,
    times_svg,
)
from homenode.report.model import CaseView, GridRow, MachineView
from homenode.report.rule import Verdict
from homenode.report.templating import REPORT, asset, page_template
from homenode.report.times import TimeView
from homenode.report.words import duration, factor, number, percent, ratio
from homenode.study.machine import LAB
from homenode.study.records import Record
from homenode.study.times import MEASURED, MODELLED

MARKS: Mapping[Verdict, str] = {
    Verdict.HEALED: "✓",
    Verdict.FLATTENED: "×",
    Verdict.NOT_HEALED: "×",
}
SKETCH_SIZE = 4
# What is said under a perfect matrix that is neither flat nor a diagonal.
SHAPES: Mapping[str, str] = {
    "partial": "diagonal and its neighbours",
    "multi-patterns": "each phase at its best",
}


@cache
def template(name: str) -> Template:
    """A page's template, with the filters that all pages have."""
    return page_template(
        REPORT,
        name,
        factor=factor,
        percent=percent,
        number=number,
        duration=duration,
        ratio=ratio,
    )


def render(
    views: Sequence[MachineView], records_paths: Sequence[str], papers: Sequence[JudgedPaper] = ()
) -> str:
    """The whole page as text, with what the papers claim on top."""
    records = [case.record for view in views for case in view.cases]
    return template("page.html").render(
        views=views,
        papers=papers,
        printed=claims_text.printed,
        counts=claims_text.counts,
        form=claims_text.form,
        alike=claims_text.alike,
        title=each_once(records, "title"),
        study=each_once(records, "study"),
        names=told_apart([view.machine.name for view in views]),
        commands=reproduce.commands(records, records_paths),
        style=asset("page.css"),
        script=asset("page.js"),
        sketches=sketches(),
        marks=MARKS,
        rule=rule,
        paper=paper,
        contrast=contrast.telling_contrast,
        gap=model.read_write_gap,
        beside_default=beside_default,
        time_of=time_of,
        slowest=slowest,
        draw_case=draw_case,
        draw_best=draw_best,
        draw_shares=draw_shares,
        shown_command=shown_command,
        time_views=times.time_views,
        draw_times=draw_times,
        times=times,
        draw_machine=lambda machine: Markup(machine_svg.draw(machine)),
        nearest=machine_svg.nearest_distance,
        says=says,
        provenance=provenance,
        versions=lambda view: versions_of(case.record for case in view.cases),
        span=span,
        best_local=lambda row: local_share(row.best),
        shapes=SHAPES,
    )


def each_once(records: Iterable[Record], key: str) -> str:
    """What the records have under a key as a heading: each value once, in their order."""
    return " · ".join(dict.fromkeys(str(record[key]) for record in records))


def told_apart(names: Sequence[str]) -> list[str]:
    """What tells the headings of several views apart; nothing for a single view."""
    if len(names) == 1:
        return [""]
    return [
        f"{name} ({names[: n + 1].count(name)})" if names.count(name) > 1 else name
        for n, name in enumerate(names)
    ]


def beside_default(case: CaseView, row: GridRow) -> float | None:
    """The case's time over the default's; None for the default itself, and where none is known."""
    default = row.cases.get("default")
    return contrast.slowdown(case, default) if default is not None and default is not case else None


def time_of(view: MachineView, case: CaseView) -> float | None:
    """The same, of the row of the grid that has the case."""
    rows = (row for row in view.rows if row.cases.get(case.method) is case)
    return next((beside_default(case, row) for row in rows), None)


def slowest(view: MachineView, cell: model.AbilityCell) -> float | None:
    """The worst of a cell's cases; None where no time is known."""
    found = [time_of(view, case) for case in cell.cases]
    return max((time for time in found if time is not None), default=None)


def says(case: CaseView) -> str:
    """A case in one line: what it is and what came out."""
    return (
        f"{case.pattern_name}, {case.op_name}, {case.method_name}: "
        f"{percent(case.judgement.local)} local, hottest node {case.hottest_node} with "
        f"{percent(case.judgement.hottest)}"
    )


def draw_case(case: CaseView) -> Markup:
    """The measured matrix of a case."""
    return Markup(matrix_svg.draw(case.rows, case.matrix.nodes, says(case), case.op_name))


def draw_best(row: GridRow) -> Markup:
    """The perfect matrix of a row of the grid."""
    nodes = next(iter(row.cases.values())).matrix.nodes
    return draw_shares(row.best, nodes, f"{row.label}: the perfect matrix")


def draw_shares(shares: Sequence[Sequence[float]], nodes: Sequence[int], label: str) -> Markup:
    """A matrix of shares that follows from logic, not from a measurement."""
    return Markup(matrix_svg.draw(shares, nodes, label, "", measured=False))


def draw_times(view: TimeView, op: str) -> Markup:
    """The execution times of one operation."""
    return Markup(times_svg.draw(view, op, MARKS))


def shown_command(case: CaseView) -> str:
    """The command of a case as a person types it, without the place of one installation."""
    words = [str(word) for word in case.record["command"]]
    words[0] = Path(words[0]).name
    if case.machine.kind == LAB:
        words += ["--machine", case.machine.name]
    return " ".join(words)


def sketches() -> list[tuple[str, str, Markup]]:
    """The three shapes that a reader must know, drawn (not measured) for four nodes."""
    nodes = range(SKETCH_SIZE)
    crowded = [[1.0 if c == 0 else 0.0 for c in nodes] for _ in nodes]
    spread = [[1.0 / SKETCH_SIZE for _ in nodes] for _ in nodes]
    home = [[1.0 if r == c else 0.0 for c in nodes] for r in nodes]
    return [
        (
            "One column: a bottleneck",
            "All threads use one node's memory. Most accesses are remote, and they queue there.",
            draw_shares(crowded, nodes, "sketch of a single dark column"),
        ),
        (
            "Flat: shared out",
            "Every node's memory serves the same share. No queue builds up, but most accesses "
            "are remote.",
            draw_shares(spread, nodes, "sketch of an evenly grey square"),
        ),
        (
            "Diagonal: at home",
            "Each node uses its own memory. No access is remote: the best case.",
            draw_shares(home, nodes, "sketch of a dark diagonal"),
        ),
    ]


def provenance(view: MachineView) -> list[Markup]:
    """Where the figures come from, in a sentence per kind of figure."""
    sentences = []
    kinds = {case.matrix.provenance for case in view.cases}
    if "exact" in kinds:
        caches = [c.record["counts"][0]["cache"] for c in view.cases if c.record["counts"]]
        modelled = ", ".join(sorted({_cache(cache) for cache in caches}))
        sentences.append(
            "<strong>Exact counts.</strong> The lab ran an unmodified Linux kernel on a "
            f"virtual {escape(view.machine.name)} and counted every load and store of the "
            f"program itself between the start and the end of its measured part, {modelled}, by "
            "the node of the CPU that issued it and the node of the memory that it reached. "
            "Nothing is sampled or estimated. The few accesses to its stack and other private "
            "data are counted with those to the array, so a share may be slightly below that "
            "of the array alone."
        )
    if "computed" in kinds:
        sentences.append(
            "<strong>Computed.</strong> The pattern determines which elements each thread uses, "
            "and the kernel reported after the run where each page was. The matrix is the "
            "product of the two, not a count of what the processors did."
        )
    sentences += _time_provenance(view)
    return [Markup(sentence) for sentence in sentences]


def _time_provenance(view: MachineView) -> list[str]:
    sentences = []
    kinds = {time.provenance for case in view.cases for time in case.times}
    untimed = sum(case.repetitions > len(case.times) for case in view.cases)
    if MODELLED in kinds:
        sentences.append(
            "<strong>Modelled times.</strong> No clock was read. For each virtual CPU the lab "
            "adds up the time that its instructions, its caches and its memory would take on "
            "the machine that the file declares: latency and bandwidth of every pair of nodes, "
            "and queues at memory controllers and links. A time is that of the measured part, "
            "from its start to its end on the CPU that ended it. It is only as good as the "
            "model and the file."
        )
    if MEASURED in kinds:
        sentences.append(
            "<strong>Measured times.</strong> Seconds of this host's own clock between the start "
            "and the end of the measured part, as the program printed them."
        )
    if untimed:
        which = "These records contain" if untimed == len(view.cases) else f"{untimed} cases have"
        why = (
            "an emulator's clock says nothing about a real machine, and a model's time was not "
            "asked for, or needs a newer QEMU, or the records are older than modelled time"
            if view.machine.kind == LAB
            else "the records are older than timing, or the host was itself an emulated machine"
        )
        sentences.append(f"<strong>No times.</strong> {which} no time: {why}.")
    return sentences


def _cache(cache: Mapping[str, Any]) -> str:
    if not cache["bytes"]:
        return "all of them, with no cache modelled"
    return (
        f"those that missed a modelled private cache of {cache['bytes'] // 1024} KiB "
        f"({cache['ways']} ways) per CPU, cold at the start"
    )


def versions_of(records: Iterable[Record]) -> dict[str, str]:
    """The versions that made the records; several are listed when records differ."""
    found: dict[str, dict[str, None]] = {}
    for record in records:
        for name, value in record["versions"].items():
            found.setdefault(str(name), {})[str(value)] = None
    return {name: ", ".join(values) for name, values in found.items()}


def span(view: MachineView) -> tuple[str, str]:
    """When the first and the last of the cases began."""
    starts = sorted(str(case.record["started"]) for case in view.cases)
    return starts[0], starts[-1]
