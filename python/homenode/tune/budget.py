"""How much may be run: a time or a number of runs. Pure."""

import argparse
import re
from dataclasses import dataclass

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
TEXT = re.compile(r"(\d+(?:\.\d+)?)(s|m|h|runs?)")
SMALLEST = 6


@dataclass(frozen=True)
class Budget:
    """At most so many seconds, or so many runs."""

    seconds: float | None = None
    runs: int | None = None

    def runs_left(self, ran: int, spent_s: float, usual_s: float) -> int:
        """How many more runs fit, where one takes `usual_s`."""
        if self.runs is not None:
            return max(0, self.runs - ran)
        assert self.seconds is not None
        return max(0, int((self.seconds - spent_s) / max(usual_s, 1e-3)))


def budget(text: str) -> Budget:
    """The budget of an option: 90s, 10m, 2h, 20runs."""
    found = TEXT.fullmatch(text)
    number = float(found[1]) if found else 0.0
    if found is None or number <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no budget such as 90s, 10m, 2h or 20runs")
    if not found[2].startswith("run"):
        return Budget(seconds=number * UNITS[found[2]])
    if number < SMALLEST or number != int(number):
        raise argparse.ArgumentTypeError(
            f"'{text}' is too little to compare anything; allow at least {SMALLEST}runs"
        )
    return Budget(runs=int(number))
