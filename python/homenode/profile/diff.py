"""Two profiles compared: what got better or worse, on the whole and for each object. Pure.

Objects are the same where name and kind are; of several with one name, the first of each. A change
counts only if it is larger than what chance makes of the samples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from homenode.profile import words
from homenode.profile.values import Locality, ObjectUse, Profile

SCHEMA = "homenode.profile.diff/1"
LEAST = 0.005  # A smaller change of a share is none.
LEAST_USE = 0.01  # Of all use, in either: what makes less is not compared.
MOST_SHOWN = 12


class Change(StrEnum):
    """What became of a local share."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    UNKNOWN = "not enough samples"
    NEW = "new"
    GONE = "gone"


def change(before: Locality, after: Locality) -> Change:
    """Whether a local share rose or fell by more than both margins together."""
    if before.share is None or after.share is None:
        return Change.UNKNOWN
    if before.margin is None or after.margin is None:
        return Change.UNKNOWN
    rise = after.share - before.share
    if abs(rise) <= max(LEAST, (before.margin**2 + after.margin**2) ** 0.5):
        return Change.SAME
    return Change.BETTER if rise > 0 else Change.WORSE


@dataclass(frozen=True)
class ObjectChange:
    """One object before and after; None where it is not."""

    name: str
    kind: str
    before: ObjectUse | None
    after: ObjectUse | None

    @property
    def change(self) -> Change:
        """What became of it."""
        if self.before is None:
            return Change.NEW
        if self.after is None:
            return Change.GONE
        return change(self.before.locality, self.after.locality)

    @property
    def weight(self) -> float:
        """How much it matters: its share of all use, in that of the two where it is larger."""
        return max((use.share for use in (self.before, self.after) if use), default=0.0)


@dataclass(frozen=True)
class Comparison:
    """Two profiles and their objects, those that matter most first."""

    before: Profile
    after: Profile
    change: Change
    objects: tuple[ObjectChange, ...]


def _named(profile: Profile) -> dict[tuple[str, str], ObjectUse]:
    found: dict[tuple[str, str], ObjectUse] = {}
    for use in profile.objects:
        found.setdefault((use.object.name, str(use.object.kind)), use)
    return found


def compare(before: Profile, after: Profile) -> Comparison:
    """What changed from one profile to another."""
    old, new = _named(before), _named(after)
    pairs = [ObjectChange(*key, old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])]
    kept = [pair for pair in pairs if pair.weight >= LEAST_USE]
    kept.sort(key=lambda pair: -pair.weight)
    return Comparison(before, after, change(before.locality, after.locality), tuple(kept))


def _share(found: Locality) -> str:
    return words.percent(None if found.margin is None else found.share)


def _share_of(use: ObjectUse | None) -> str:
    return "–" if use is None else _share(use.locality)


def _hottest(profile: Profile) -> str:
    loads = sorted(profile.controllers, key=lambda load: -load.share)
    return f"node {loads[0].target}: {words.percent(loads[0].share)}" if loads else "?"


def _lines(found: Comparison) -> Iterator[str]:
    before, after = found.before, found.after
    yield f"before: {words.program(before)}: {words.whole(before)}; {before.taken.source}"
    yield f"after:  {words.program(after)}: {words.whole(after)}; {after.taken.source}"
    if before.taken.source != after.taken.source:
        yield "  different sources see different uses: compare profiles of one source"
    yield (
        f"all uses: {_share(before.locality)} → {_share(after.locality)} local, {found.change}; "
        f"busiest memory {_hottest(before)} → {_hottest(after)}"
    )
    shown = found.objects[:MOST_SHOWN]
    width = max((len(pair.name) for pair in shown), default=0)
    for pair in shown:
        shares = f"{_share_of(pair.before)} → {_share_of(pair.after)} local"
        text = f"  {pair.name.ljust(width)}  {shares}, {pair.change}"
        if pair.before and pair.after and pair.before.pattern.sure and pair.after.pattern.sure:
            names = [str(use.pattern.sharing) for use in (pair.before, pair.after)]
            text += f"; {names[0]} → {names[1]}" if names[0] != names[1] else ""
        yield text
    if len(found.objects) > MOST_SHOWN:
        yield f"  and {len(found.objects) - MOST_SHOWN} more, which --json lists"


def summary(found: Comparison) -> str:
    """The comparison for a terminal."""
    return "\n".join(_lines(found))


def _side(use: ObjectUse | None) -> dict[str, Any] | None:
    if use is None:
        return None
    return {
        "share": use.share,
        "remote_share": use.remote_share,
        "local_share": use.locality.share,
        "margin": use.locality.margin,
        "pattern": str(use.pattern.sharing),
    }


def _whole(profile: Profile) -> dict[str, Any]:
    return {
        "command": list(profile.taken.command),
        "source": profile.taken.source,
        "local_share": profile.locality.share,
        "margin": profile.locality.margin,
    }


def as_json(found: Comparison) -> dict[str, Any]:
    """The document of a comparison."""
    return {
        "schema": SCHEMA,
        "before": _whole(found.before),
        "after": _whole(found.after),
        "change": str(found.change),
        "objects": [
            {
                "name": pair.name,
                "kind": pair.kind,
                "change": str(pair.change),
                "before": _side(pair.before),
                "after": _side(pair.after),
            }
            for pair in found.objects
        ],
    }
