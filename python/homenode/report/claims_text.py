"""How claims and verdicts are written: on the page, and as Markdown for documents. Pure."""

from collections.abc import Sequence
from itertools import groupby, pairwise

from homenode.claims.judge import Judged, JudgedPaper, decided_alike
from homenode.claims.verdict import Verdict
from homenode.report.contents import Contents
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


def form(judged: JudgedPaper) -> str:
    """Which form of the studies it is that decides, and what they divide their machines by."""
    by = [f"1:{n}" for n in judged.divided_by if n > 1]
    size = f"machines {' and '.join(by)}" if by else "machines as they are"
    return f"{judged.form} form, {size}"


def alike(papers: Sequence[JudgedPaper]) -> list[str]:
    """A sentence for each paper that has two forms, of which one may divide its machines less."""
    sentences = []
    for one, other in pairwise(papers):
        if one.paper is other.paper:
            same, decided = decided_alike(one, other)
            sentences.append(
                f"Of the {decided} claims that both forms decide ({form(one)}; {form(other)}), "
                f"{same} have the same verdict in both."
            )
    return sentences


def text(papers: Sequence[JudgedPaper]) -> str:
    """The verdicts for a terminal: a line for each claim."""
    lines = []
    for judged in papers:
        lines.append(f"{judged.paper.title} ({form(judged)}): {counts(judged)}")
        width = max((len(one.claim.id) for one in judged.claims), default=0)
        lines += [
            f"  {one.claim.id:{width}}  {one.finding.verdict:17}  {one.claim.says} "
            f"[found: {one.finding.found}; {one.finding.why}]"
            for one in judged.claims
        ]
    return "\n".join(lines + alike(papers))


def markdown(command: str, papers: Sequence[JudgedPaper], studies: Sequence[Contents]) -> str:
    """The document: for each paper its claims by each form, and the times of its studies."""
    parts = [HEAD.format(command=command)]
    for _, forms in groupby(papers, lambda judged: judged.paper.id):
        judged = list(forms)
        own = [each for each in studies if judged[0].paper.is_about(each.name)]
        parts.append(_paper(judged, own))
        for each in own:
            parts += _times_of(each)
    return "\n".join(parts)


def _times_of(study: Contents) -> list[str]:
    tables = [table for view in study.figures for table in _times(view)]
    head = f"### Times of `homenode study {study.study}`\n"
    said = "Median of the repetitions in ms, and the least and the largest.\n"
    return [head, said, *tables] if tables else []


def _paper(forms: Sequence[JudgedPaper], studies: Sequence[Contents]) -> str:
    """The claims as the first form finds them that decides them, with the verdicts of each."""
    first, others = forms[0], forms[1:]
    lines = [f"## {first.paper.id}: {first.paper.title}", ""]
    lines += [", ".join(f"`homenode study {each.study}`" for each in studies) + ".", ""]
    lines += [f"- {form(each).capitalize()}: {counts(each)}." for each in forms]
    lines += [f"- {sentence}" for sentence in alike(forms)]
    more = "".join(f" {each.form} form |" for each in others)
    lines += ["", f"| claim | kind | what it says | printed | found | verdict |{more} why |"]
    lines += ["|---" * (7 + len(others)) + "|"]
    for each in zip(*(judged.claims for judged in forms), strict=True):
        decided = [one for one in each if one.finding.verdict != Verdict.UNDECIDED]
        one = decided[0] if decided else each[0]
        finding = one.finding
        cells = (
            one.claim.id,
            one.claim.kind,
            one.claim.says,
            printed(one),
            finding.found,
            f"**{each[0].finding.verdict}**",
            *(str(other.finding.verdict) for other in each[1:]),
            f"{finding.why}; {one.reasons}" if one.reasons else finding.why,
        )
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    lines += [""] + [f"- {sentence}" for sentence in first.contradictions]
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
