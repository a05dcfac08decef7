"""The names that a page gives to patterns, methods and operations; and how it writes numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from homenode.study.case import Case
from homenode.study.description import DIAGONAL, FLAT, Description

MOST_LETTERS = 44  # Of a name in a drawing.
LETTER = 5.3  # A letter's mean width there, in units of the drawing.
TIME_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"


@dataclass(frozen=True)
class Word:
    """A name and one sentence that says what it means."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Words:
    """What a workload calls its patterns, methods and operations, in the order of its help.

    A name that it does not know stands for itself.
    """

    patterns: Mapping[str, Word]
    methods: Mapping[str, Word]
    operations: Mapping[str, str]
    goals: Mapping[str, str]

    @staticmethod
    def of(workload: Description) -> "Words":
        """The words of a workload that describes itself."""
        methods = workload.choices(workload.placement) if workload.placement else ()
        return Words(
            {p.name: Word(p.title, p.meaning) for p in workload.patterns.values()},
            {c.name: Word(c.title, c.meaning) for c in methods},
            {c.name: c.title for c in workload.choices("op")},
            {p.name: p.goal for p in workload.patterns.values()},
        )

    @staticmethod
    def of_cases(cases: Iterable[Case]) -> "Words":
        """For records without a description: every name stands for itself."""
        options = [dict(case.options) for case in cases]

        def seen(key: str, *first: str) -> list[str]:
            return list(dict.fromkeys([*first, *(str(o[key]) for o in options if key in o)]))

        return Words(
            {name: Word(name, "") for name in seen("pattern")},
            {name: Word(name, "") for name in seen("method", "default")},
            {name: name for name in seen("op", "read")},
            {},
        )

    def pattern(self, name: str) -> Word:
        """A pattern's name for people and its meaning."""
        return self.patterns.get(name, Word(name, ""))

    def method(self, name: str) -> Word:
        """A method's name for people and its meaning."""
        return self.methods.get(name, Word(name, ""))

    def operation(self, name: str) -> str:
        """An operation's name for people."""
        return self.operations.get(name, name)

    def goal(self, pattern: str) -> str:
        """Which matrix a pattern can have at best: an even spread, or every access at home."""
        return self.goals.get(pattern) or (FLAT if "shared" in pattern else DIAGONAL)


def percent(share: float) -> str:
    """A share as a percentage with one decimal; only what is exact is written as 0 or 100."""
    value = 100 * share
    if share in (0.0, 1.0):
        text = f"{value:.0f}"
    elif 99.95 < value < 100:
        text = "> 99.9"
    elif value < 0.05:
        text = "< 0.1"
    else:
        text = f"{value:.1f}"
    return f"{text} %".replace(" ", NARROW_SPACE)


def factor(value: float | None) -> str:
    """A difference of penalty factors with three decimals; what is not known is a dash."""
    return "–" if value is None else f"{abs(value) if abs(value) < 0.0005 else value:.3f}"


def duration(seconds: float) -> str:
    """A time with three significant digits, in the unit that suits it."""
    value = float(f"{seconds:.3g}")
    unit, factor = next((pair for pair in TIME_UNITS if value >= pair[1]), TIME_UNITS[-1])
    value /= factor
    return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f}{NARROW_SPACE}{unit}"


def ratio(value: float) -> str:
    """A ratio to 1 with two decimals, three below 0.1."""
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.3f}"


def number(value: float) -> str:
    """A whole number with thin spaces between thousands."""
    return f"{round(value):,}".replace(",", NARROW_SPACE)


def shortened(name: str) -> str:
    """A name that fits into a drawing: of a long one its beginning and its end."""
    if len(name) <= MOST_LETTERS:
        return name
    half = MOST_LETTERS // 2
    return f"{name[: half - 1].rstrip()}…{name[-half:].lstrip()}"


def width_of(names: Iterable[str]) -> float:
    """How wide the longest of the names is in a drawing."""
    return LETTER * max(map(len, names), default=0)
