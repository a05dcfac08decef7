"""The answer as JSON, schema homenode.tune/1. Pure."""

import math
import shlex
from statistics import median
from typing import Any

from homenode.tune.answer import Answer
from homenode.tune.race import ERROR, Standing
from homenode.tune.running import command_text
from homenode.tune.statistics import deviation_of, gain
from homenode.tune.words import reason

SCHEMA = "homenode.tune/1"


def as_json(answer: Answer) -> dict[str, Any]:
    """The whole answer."""
    race, winner = answer.race, answer.verdict.winner
    return {
        "schema": SCHEMA,
        "verdict": str(answer.verdict.kind),
        "command": None if winner is None else command_text(winner.candidate, answer.program),
        "options": None if winner is None else list(winner.candidate.options),
        "gain": None if winner is None else interval_json(winner),
        "reason": None if winner is None else reason(winner.candidate),
        "most": answer.verdict.most,
        "sure": 1 - ERROR,
        "margin": race.margin,
        "program": shlex.join(answer.program),
        "machine": answer.machine,
        "metric": {
            "pattern": race.metric.pattern,
            "better": "higher" if race.metric.higher else "lower",
            "unit": race.metric.unit,
            "clock": "modelled" if answer.modelled else "host clock",
        },
        "as_it_is": {
            "median": median(answer.values) if answer.values else None,
            "deviation": deviation_of(answer.values) if answer.values else None,
            "values": list(answer.values),
        },
        "candidates": [_candidate(one) for one in race.standings],
        "left_out": list(answer.left_out),
        "rounds": race.rounds,
        "runs": answer.runs,
        "seconds": round(answer.seconds, 3),
        "interrupted": answer.interrupted,
    }


def _finite(share: float) -> float | None:
    return share if math.isfinite(share) else None


def interval_json(one: Standing) -> dict[str, Any]:
    """What the pairs of a candidate show."""
    bounded = one.interval
    low = None if math.isinf(bounded.low) else gain(bounded.low)
    return {
        "estimate": gain(bounded.estimate),
        "low": low,
        "high": _finite(gain(bounded.high)),
        "pairs": len(one.logs),
    }


def _candidate(one: Standing) -> dict[str, Any]:
    candidate = one.candidate
    return {
        "name": candidate.name,
        "options": list(candidate.options),
        "why": candidate.why,
        "predicted": candidate.predicted,
        "sure": candidate.sure,
        "bottleneck": candidate.bottleneck,
        "state": one.state,
        "left_because": one.why or None,
        "gain": interval_json(one) if one.logs else None,
        "values": list(one.values),
    }
