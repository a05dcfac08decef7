"""What is measured of a run: its time, or a number that the program prints. Pure."""

import math
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """`pattern` finds the number in what was printed, the last time that it matches: its first
    group, or the whole match. None: the time that the run took."""

    pattern: str | None = None
    higher: bool = False

    @property
    def unit(self) -> str:
        """Of the time; a number that a program prints has none that is known."""
        return "s" if self.pattern is None else ""

    def log_gain(self, before: float, after: float) -> float:
        """The logarithm of how much better `after` is than `before`."""
        ratio = math.log(after) - math.log(before)
        return ratio if self.higher else -ratio

    def read(self, text: str) -> float | str:
        """The number in what a run printed, or in a few words why there is none."""
        assert self.pattern is not None
        every = list(re.finditer(self.pattern, text, re.MULTILINE))
        if not every:
            return f"it printed nothing that matches '{self.pattern}'"
        found = every[-1]
        word = found.group(1) if found.re.groups else found.group()
        try:
            value = float((word or "").replace(",", ""))
        except ValueError:
            return f"'{word}' is no number; put the number's part of the pattern in parentheses"
        if not 0 < value < math.inf:
            return f"it printed {value:g}, but only numbers above 0 can be compared"
        return value


def complaint(pattern: str) -> str | None:
    """What is wrong with a pattern; None if nothing."""
    try:
        re.compile(pattern)
    except re.error as error:
        return f"'{pattern}' is no regular expression: {error}"
    return None
