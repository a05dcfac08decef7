"""How far a tune is, on the error stream: a moving line on a terminal, a line a round elsewhere."""

import sys
from typing import Self, TextIO

from rich.console import Console

from homenode.tune import words
from homenode.tune.race import Race
from homenode.tune.statistics import gain


class PlainProgress:
    """A line for each round, for logs and pipes."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def running(self, name: str, race: Race, ran: int, spent_s: float) -> None:
        """Nothing: a round gets its line when it is done."""

    def round_done(self, race: Race) -> None:
        """One line."""
        self.note(standing(race))

    def note(self, text: str) -> None:
        """One line."""
        print(f"homenode tune: {text}", file=self._stream, flush=True)


class MovingProgress:
    """What runs now, and who leads."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("starting")

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._status.stop()

    def running(self, name: str, race: Race, ran: int, spent_s: float) -> None:
        """Moves the line on."""
        self._status.update(f"run {ran + 1}, {spent_s:.0f} s: {name}; {standing(race)}")

    def round_done(self, race: Race) -> None:
        """Nothing: the line of the next run tells."""

    def note(self, text: str) -> None:
        """Leaves a line above."""
        self._console.print(text, markup=False, highlight=False)


def standing(race: Race) -> str:
    """Who looks best after so many rounds."""
    judged = [one for one in race.running if one.logs]
    if not race.rounds:
        return "measuring the program as it is"
    if not judged:
        return f"round {race.rounds}: no placement is left"
    best = max(judged, key=lambda one: one.interval.estimate)
    return (
        f"round {race.rounds}, {len(judged)} left; best: {best.candidate.name} "
        f"{words.percent(gain(best.interval.estimate))} ({words.between(best.interval)})"
    )


Progress = PlainProgress | MovingProgress


def make_progress() -> Progress:
    """The moving line on a terminal, plain lines elsewhere."""
    console = Console(stderr=True)
    return MovingProgress(console) if console.is_terminal else PlainProgress()
