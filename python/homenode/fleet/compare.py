"""Which computers are unlike the others: by median and MAD for numbers, by what most have for
settings. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from homenode.fleet.documents import Computer, Key

SCHEMA = "homenode.fleet.report/1"
# As many scaled MADs off as one in two million of a normal distribution.
MOST_DEVIATIONS = 5.0
# And at least so much of the median: where siblings agree to a hair, a hair is no news.
LEAST_SHARE = 0.03
# MAD times this is the standard deviation of a normal distribution.
SCALE = 1.4826
# Of two that differ, nobody knows which is the odd one.
LEAST_SIBLINGS = 3


@dataclass(frozen=True)
class Spread:
    """A number over all computers that have it."""

    key: Key
    median: float
    mad: float
    count: int


@dataclass(frozen=True)
class Unlike:
    """A computer's number that is far from its siblings'. `share`: of the median, with its sign."""

    computer: str
    value: float
    share: float
    spread: Spread


@dataclass(frozen=True)
class Odd:
    """A computer whose setting is another than what most have."""

    computer: str
    setting: str
    value: str
    usual: str


@dataclass(frozen=True)
class Comparison:
    """What came out; `unlike` by how far off, farthest first."""

    computers: tuple[str, ...]
    spreads: tuple[Spread, ...]
    unlike: tuple[Unlike, ...]
    odd: tuple[Odd, ...]

    def to_json(self) -> dict[str, Any]:
        """As the schema has it."""
        return {
            "schema": SCHEMA,
            "computers": list(self.computers),
            "most_deviations": MOST_DEVIATIONS,
            "least_share": LEAST_SHARE,
            "figures": [_spread_json(spread) for spread in self.spreads],
            "unlike": [
                {"computer": u.computer, "value": u.value, "share_off": u.share}
                | _spread_json(u.spread)
                for u in self.unlike
            ],
            "settings": [
                {"computer": o.computer, "setting": o.setting, "value": o.value, "usual": o.usual}
                for o in self.odd
            ],
        }


def _spread_json(spread: Spread) -> dict[str, Any]:
    key = spread.key
    return {
        "figure": key.name,
        "unit": key.unit,
        "from": key.of,
        "to": key.to,
        "median": spread.median,
        "mad": spread.mad,
        "count": spread.count,
    }


def compare(computers: Sequence[Computer]) -> Comparison:
    """Compares each number and setting that at least three computers have."""
    spreads: list[Spread] = []
    unlike: list[Unlike] = []
    for key in sorted({key for c in computers for key in c.numbers}, key=_order):
        values = {c.name: c.numbers[key] for c in computers if key in c.numbers}
        if len(values) < LEAST_SIBLINGS:
            continue
        middle = median(values.values())
        mad = median(abs(value - middle) for value in values.values())
        spread = Spread(key, middle, mad, len(values))
        spreads.append(spread)
        limit = max(MOST_DEVIATIONS * SCALE * mad, LEAST_SHARE * abs(middle))
        unlike += [
            Unlike(name, value, (value - middle) / middle if middle else 0.0, spread)
            for name, value in values.items()
            if abs(value - middle) > limit
        ]
    unlike.sort(key=lambda u: -abs(u.share))
    names = tuple(c.name for c in computers)
    return Comparison(names, tuple(spreads), tuple(unlike), tuple(_odd(computers)))


def _order(key: Key) -> tuple[str, int, int]:
    return key.name, -1 if key.of is None else key.of, -1 if key.to is None else key.to


def _odd(computers: Sequence[Computer]) -> list[Odd]:
    found = []
    for setting in dict.fromkeys(name for c in computers for name in c.settings):
        values = {c.name: c.settings[setting] for c in computers if setting in c.settings}
        if len(values) < LEAST_SIBLINGS:
            continue
        ((usual, _),) = Counter(values.values()).most_common(1)
        found += [Odd(name, setting, v, usual) for name, v in values.items() if v != usual]
    return found
