"""The answer for a terminal: the command, the gain, the reason. Pure."""

import textwrap
from collections.abc import Iterator, Sequence
from statistics import median

from homenode.lab.text import table
from homenode.tune import words
from homenode.tune.answer import Answer
from homenode.tune.race import Standing
from homenode.tune.running import command_text
from homenode.tune.statistics import deviation_of, gain
from homenode.tune.verdict import Kind

ACTION = "→"
MOST_NAMES = 3


def summary(answer: Answer, columns: int = 100) -> str:
    """A screen at most. What is to be typed is never broken into lines."""
    lines = []
    for line in _lines(answer):
        whole = line.startswith((ACTION, " "))
        lines += [line] if whole else textwrap.wrap(line, max(40, columns)) or [""]
    return "\n".join([*lines, "", *_candidates(answer)]) + "\n"


def _lines(answer: Answer) -> Iterator[str]:
    yield as_it_is(answer)
    winner = answer.verdict.winner
    if winner is None:
        yield from sentences(answer)
        return
    yield f"{_gain(answer, winner)} with {winner.candidate.name}:"
    yield f"{ACTION} {command_text(winner.candidate, answer.program)}"
    yield words.reason(winner.candidate)
    if len(answer.race.running) > 1:
        yield f"{len(answer.race.running) - 1} more may be as good; a larger --budget tells."


def sentences(answer: Answer) -> Iterator[str]:
    """What the runs prove, without the command."""
    race, verdict = answer.race, answer.verdict
    if verdict.winner is not None:
        yield f"{_gain(answer, verdict.winner)} with {verdict.winner.candidate.name}."
        return
    tried = sum(bool(one.logs) for one in race.standings)
    if tried == 0:
        yield "No placement could be compared with the program as it is; the reasons are below."
        return
    of_tried = f"of the {tried} placements that ran" if tried > 1 else "of the placement that ran"
    gained = f"is {_kind(answer)}{words.better(race.metric)}"
    most = "" if verdict.most is None else f" by more than {words.percent(verdict.most)[1:]}"
    if verdict.kind == Kind.NOTHING_BETTER:
        yield (
            f"Nothing here is better than what you have: none {of_tried} {gained}{most} "
            f"({words.SURE})."
        )
        return
    bound = f"none {of_tried} {gained}{most} ({words.SURE})" if most else "the runs are too few"
    yield f"Nothing here is shown to be better than what you have: {bound}."
    best = verdict.promising
    if best is not None and gain(best.interval.estimate) > race.margin:
        yield (
            f"{best.candidate.name} looks {words.percent(gain(best.interval.estimate))} "
            f"{words.better(race.metric)}, which chance may explain; a larger --budget tells."
        )


def _kind(answer: Answer) -> str:
    return "modelled " if answer.modelled else ""


def as_it_is(answer: Answer) -> str:
    """What the program took, and how much that varies."""
    values = answer.values
    noise = deviation_of(values)
    found = words.value(median(values), answer.race.metric, modelled=answer.modelled)
    noisy = "" if len(values) < 3 else f", ±{noise:.1%} from run to run".replace("%", " %")
    return f"as it is: {found}{noisy} ({len(values)} runs); {answer.runs} runs in all"


def _gain(answer: Answer, one: Standing) -> str:
    found = f"{_kind(answer)}{words.percent(gain(one.interval.estimate))}"
    return (
        f"{found} {words.better(answer.race.metric)} "
        f"({words.SURE}: {words.between(one.interval)}; {len(one.logs)} pairs)"
    )


def _candidates(answer: Answer) -> Iterator[str]:
    rows = [["placement", "gain", "95 % sure", "pairs", "what became of it"]]
    for one in answer.race.standings:
        known = bool(one.logs)
        rows.append(
            [
                one.candidate.name,
                words.percent(gain(one.interval.estimate)) if known else "",
                words.between(one.interval) if known else "",
                str(len(one.logs)),
                words.ended(one)
                or ("the answer" if one is answer.verdict.winner else "still in the race"),
            ]
        )
    for column in (0, -1):  # What is no figure begins at the left.
        widest = max(len(row[column]) for row in rows)
        for row in rows:
            row[column] = row[column].ljust(widest)
    yield from (line.rstrip() for line in table(rows).splitlines())
    if answer.left_out:
        yield ""
        yield f"not tried, because others promise more: {_some(answer.left_out)}"


def _some(names: Sequence[str]) -> str:
    """The first few of many."""
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"
