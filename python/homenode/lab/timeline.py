"""Reads what the plugin wrote of what each thread did when. Pure."""

import json
from typing import Any

from homenode.lab.errors import LabError
from homenode.timeline import SLEEPING, Interval, Timeline

SCHEMA = "homenode.lab.timeline/1"


def parse_timelines(text: str) -> tuple[Timeline, ...]:
    """Reads the plugin's lines. Raises LabError for one that it did not write."""
    try:
        return tuple(_timeline(json.loads(line)) for line in text.splitlines())
    except (ValueError, LookupError, TypeError) as error:
        raise LabError(
            f"the plugin's timeline cannot be read ({error}); rebuild it with './dev build'"
        ) from error


def _timeline(raw: dict[str, Any]) -> Timeline:
    if raw["schema"] != SCHEMA or raw["modelled"] is not True:
        raise ValueError(f"it has schema {raw['schema']!r}, not {SCHEMA}")
    intervals = [_interval(*one) for one in raw["intervals"] if one[0] is not None]
    intervals.sort(key=lambda one: (one.thread, one.from_ps))
    return Timeline(int(raw["roi"]), int(raw["ps"]), int(raw["dropped"]), intervals)


def _interval(
    thread: int, activity: str, from_ps: int, to_ps: int, amount_ps: int, waker: int | None = None
) -> Interval:
    if activity == SLEEPING:
        return Interval(thread, activity, from_ps, to_ps, 0, amount_ps, waker)
    return Interval(thread, activity, from_ps, to_ps, amount_ps)
