"""The page of a tune: one HTML file with style and drawing inside. No network, ever."""

from collections.abc import Sequence
from functools import cache
from pathlib import PurePath

from jinja2 import Template
from markupsafe import Markup

from homenode.report.templating import asset, page_template
from homenode.tune import text, words
from homenode.tune.answer import Answer
from homenode.tune.gains_svg import draw
from homenode.tune.race import Standing
from homenode.tune.running import command_text
from homenode.tune.statistics import gain

PACKAGE = "homenode.tune"


@cache
def _template() -> Template:
    return page_template(PACKAGE, "tune.html")


def render(answer: Answer) -> str:
    """The whole page as text."""
    race, winner = answer.race, answer.verdict.winner
    return _template().render(
        answer=answer,
        title=PurePath(answer.program[0]).name,
        lead=" ".join(text.sentences(answer)),
        as_it_is=text.as_it_is(answer),
        winner=winner,
        command=winner and command_text(winner.candidate, answer.program),
        reason=winner and words.reason(winner.candidate),
        predicted=any(one.candidate.predicted is not None for one in race.standings),
        margin=f"{race.margin * 100:.3g} %",
        chart=Markup(draw(race.standings, race.margin)),
        rows=_rows(race.standings, winner),
        style=asset("page.css") + asset("tune.css", PACKAGE),
    )


def _rows(standings: Sequence[Standing], winner: Standing | None) -> list[dict[str, str]]:
    rows = []
    for one in standings:
        predicted = one.candidate.predicted
        rows.append(
            {
                "name": one.candidate.name,
                "options": " ".join(one.candidate.options),
                "predicted": "" if predicted is None else words.percent(1 / predicted - 1),
                "gain": words.percent(gain(one.interval.estimate)) if one.logs else "",
                "bounds": words.between(one.interval) if one.logs else "",
                "pairs": str(len(one.logs)),
                "end": one.why or ("the answer" if one is winner else "still in the race"),
            }
        )
    return rows
