"""How claims and verdicts are written: on the page, and as Markdown for documents. Pure."""

from collections.abc import Sequence

from homenode.claims.judge import Judged, JudgedPaper
from homenode.claims.verdict import Verdict
from homenode.report.figures import Bar, FigureView, Panel
from homenode.study.metrics import SECONDS

MS_PER_S = 1000
HEAD = """# The papers, run again

What the papers that homenode began with say, and what comes out here: each claim with its printed
value, the value that was found, and a verdict. A paper is studied by `homenode study NAME`; its
claims stand in `studies/claims`, each with the rule and the tolerance by which it is judged. This
page is written from records, by

```
{command}
```

A gain is given in both readings of "better": the share of the time that is saved, and the gain in
speed; in brackets the least and the largest that the repetitions allow. A difference counts where
it is above that noise. Times are modelled by the lab ([its clock](the-labs-clock.md)) on machines
described from what the papers print, so a verdict speaks of the model, and of problems divided as
each study says. Kinds: T printed in the text, Q said in words, D derived from what is printed, F in
a figure alone.
"""


def printed(judged: Judged) -> str:
    """The number that the paper prints, with its unit; a dash where it prints none."""
    settings = judged.claim.settings
    if "percent" in settings:
        return f"{settings['percent']:g} %"
    if "value" in settings:
        return f"{settings['value']:g}"
    if "least" in settings:
        return f"{settings['least']:g} to {settings['most']:g} %"
    return "–"


def counts(judged: JudgedPaper) -> str:
    """How many claims agree, differ and cannot be decided."""
    agree, differ, open_ = (judged.count(verdict) for verdict in Verdict)
    size = f" ({judged.in_size_alone} of them in size alone)" if judged.in_size_alone else ""
    return (
        f"{agree} of {len(judged.claims)} claims agree, {differ} differ{size}, {open_} cannot be "
        "decided"
    )


def text(papers: Sequence[JudgedPaper]) -> str:
    """The verdicts for a terminal: a line for each claim."""
    lines = []
    for judged in papers:
        lines.append(f"{judged.paper.title}: {counts(judged)}")
        width = max((len(one.claim.id) for one in judged.claims), default=0)
        lines += [
            f"  {one.claim.id:{width}}  {one.finding.verdict:17}  {one.claim.says} "
            f"[found: {one.finding.found}; {one.finding.why}]"
            for one in judged.claims
        ]
    return "\n".join(lines)


def markdown(
    command: str, sections: Sequence[tuple[Sequence[JudgedPaper], Sequence[FigureView], str]]
) -> str:
    """The document: for each study its papers, its times, and the command that ran it."""
    parts = [HEAD.format(command=command)]
    for papers, views, study in sections:
        for judged in papers:
            parts.append(_paper(judged, study))
        times = [table for view in views for table in _times(view)]
        if times:
            parts.append(
                "### Times\n\nMedian of the repetitions in ms, and the least and the largest.\n"
            )
            parts += times
    return "\n".join(parts)


def _paper(judged: JudgedPaper, study: str) -> str:
    lines = [f"## {judged.paper.id}: {judged.paper.title}", ""]
    lines += [f"`homenode study {study}`: {counts(judged)}.", ""]
    lines += ["| claim | kind | what it says | printed | found | verdict | why |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for one in judged.claims:
        finding = one.finding
        cells = (
            one.claim.id,
            one.claim.kind,
            one.claim.says,
            printed(one),
            finding.found,
            f"**{finding.verdict}**",
            f"{finding.why}; {one.reasons}" if one.reasons else finding.why,
        )
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    lines += [""] + [f"- {sentence}" for sentence in judged.contradictions]
    return "\n".join(lines) + "\n"


def _cell(value: str) -> str:
    return value.replace("|", "\\|")


def _times(view: FigureView) -> list[str]:
    panels = [p for p in view.panels if p.metric.name == "seconds" and p.metric.unit == SECONDS]
    return [_time_table(view, panel) for panel in panels]


def _time_table(view: FigureView, panel: Panel) -> str:
    """A row for each program and placement, a column for each number of threads."""
    rows: dict[tuple[str, str], dict[str, Bar]] = {}
    for group in panel.groups:
        for bar in group.bars:
            rows.setdefault((group.label, bar.placement), {})[bar.threads] = bar
    counts = sorted({n for row in rows.values() for n in row}, key=lambda n: (len(n), n))
    lines = [f"{view.workload.name} on {view.machine.name}, {panel.label}:", ""]
    lines += ["| case | " + " | ".join(f"{n} threads" if n else "time" for n in counts) + " |"]
    lines += ["|---" * (len(counts) + 1) + "|"]
    for (label, placement), row in rows.items():
        name = ", ".join(filter(None, (label, placement)))
        lines.append(f"| {name} | " + " | ".join(_time(row.get(n)) for n in counts) + " |")
    return "\n".join(lines) + "\n"


def _time(bar: Bar | None) -> str:
    if bar is None:
        return "–"
    text = f"{MS_PER_S * bar.value:.4g}"
    if len(bar.values) > 1:
        text += f" ({MS_PER_S * bar.low:.4g} to {MS_PER_S * bar.high:.4g})"
    return text
