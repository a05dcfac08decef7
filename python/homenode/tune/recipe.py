"""What `homenode run --recipe FILE` applies: the options that were found, and where. Pure."""

from typing import Any

from homenode.tune.answer import Answer
from homenode.tune.document import interval_json
from homenode.tune.words import reason

SCHEMA = "homenode.recipe/1"


def recipe(answer: Answer) -> dict[str, Any] | None:
    """The recipe of a better placement; None where none is surely better."""
    winner = answer.verdict.winner
    if winner is None:
        return None
    return {
        "schema": SCHEMA,
        "options": list(winner.candidate.options),
        "program": list(answer.program),
        "machine": answer.machine,
        "modelled": answer.modelled,
        "gain": interval_json(winner),
        "reason": reason(winner.candidate),
    }
