"""Runs the race: the program as it is for its noise, then rounds in turn, until the answer is sure
or the budget is used. What ran before is taken from the journal."""

from dataclasses import dataclass, replace
from statistics import median
from typing import Protocol

from homenode.tune.budget import Budget
from homenode.tune.candidate import Candidate
from homenode.tune.errors import TuneError
from homenode.tune.journal import WARM_UP, Journal, Kept
from homenode.tune.race import SET_ASIDE, Race
from homenode.tune.running import Run, Runner

AS_IT_IS = Candidate("as it is", ())
WARM_UPS = 2  # The first fills caches; with the second one sees whether it can run twice.
LOSING = 5  # A run that takes so many times as long as the program as it is has lost.
GRACE_S = 5.0
DIFFERS = (
    "its output differs from that of the program as it is; if that is as it should be, say "
    "--ignore-output"
)


class Observer(Protocol):
    """Who is told how far it is."""

    def running(self, name: str, race: Race, ran: int, spent_s: float) -> None:
        """A run begins."""

    def round_done(self, race: Race) -> None:
        """A round is complete."""

    def note(self, text: str) -> None:
        """Something that a person should know."""


@dataclass
class Tuning:
    """One race and all that it needs; `go` may be left by an exception at any time."""

    race: Race
    runner: Runner
    journal: Journal
    budget: Budget
    observer: Observer
    compare_output: bool = True

    def __post_init__(self) -> None:
        """Takes over what ran before."""
        self._round = WARM_UP
        self._replay()

    def go(self) -> None:
        """Runs until the race is over or the budget is used. Raises TuneError when the program as
        it is cannot be measured."""
        for number in range(len(self.warm_ups), WARM_UPS):
            self._as_it_is(WARM_UP, again=number > 0)
        if self.compare_output and self._varies():
            self.observer.note(
                "what the program prints differs from run to run, so it is not compared"
            )
        while not self.race.over:
            left = self.runs_left
            for one in self.race.set_aside(left):
                self.journal.append(Kept(self._round, one.candidate.name, _LEAVES))
            if left < len(self.race.running) + 1:
                return
            self._run_round()
            self.observer.round_done(self.race)

    @property
    def over(self) -> bool:
        """Whether there is nothing left to run, or nothing left of the budget."""
        if len(self.warm_ups) < WARM_UPS:
            return False
        return self.race.over or self.runs_left < 2

    @property
    def ran(self) -> int:
        """How many runs there are."""
        return sum(kept.run != _LEAVES for kept in self.journal.runs)

    @property
    def warm_ups(self) -> list[float]:
        """What the program as it is took before the first round."""
        runs = (kept.run for kept in self._of_round(WARM_UP))
        return [run.value for run in runs if run.value is not None]

    @property
    def spent_s(self) -> float:
        """The time that all runs took."""
        return sum(kept.run.wall_s for kept in self.journal.runs)

    @property
    def runs_left(self) -> int:
        """How many runs fit into what is left of the budget."""
        times = [kept.run.wall_s for kept in self.journal.runs if kept.run != _LEAVES]
        return self.budget.runs_left(self.ran, self.spent_s, median(times) if times else 0.0)

    def _of_round(self, number: int) -> list[Kept]:
        return [kept for kept in self.journal.runs if kept.round == number]

    def _replay(self) -> None:
        """Adds the complete rounds of earlier; those that were cut short count for nothing."""
        last = max((kept.round for kept in self.journal.runs), default=WARM_UP)
        for number in range(WARM_UP + 1, last + 1):
            kept = self._of_round(number)
            runs = {one.candidate: one.run for one in kept if one.run != _LEAVES}
            before = runs.get(AS_IT_IS.name)
            wanted = {one.candidate.name for one in self.race.running}
            if before is not None and before.value is not None and wanted <= set(runs):
                self.race.add(before, runs)
            for one in kept:
                if one.run == _LEAVES:
                    self.race.leave(one.candidate)
        self._round = last

    def _run_round(self) -> None:
        self._round += 1
        before: Run | None = None
        runs: dict[str, Run] = {}
        for one in self.race.order(self._round):
            if one is None:
                before = self._as_it_is(self._round, again=True)
            else:
                runs[one.candidate.name] = self._run(one.candidate, self._round)
        assert before is not None
        self.race.add(before, runs)

    def _as_it_is(self, number: int, *, again: bool) -> Run:
        run = self._run(AS_IT_IS, number)
        if run.value is None:
            if again:
                raise TuneError(
                    f"a later run of the program as it is failed: {run.error}; if it does not "
                    "overwrite what it wrote, remove that with --prepare CMD"
                )
            raise TuneError(f"cannot measure the program as it is: {run.error}")
        return run

    def _run(self, candidate: Candidate, number: int) -> Run:
        self.observer.running(candidate.name, self.race, self.ran, self.spent_s)
        known = self._as_it_was()
        longest = max((run.wall_s for run in known), default=None)
        limit = None if longest is None else LOSING * longest + GRACE_S
        run = self.runner.run(candidate, limit if candidate.options else None)
        if candidate.options and run.error is None and self._differs(run):
            run = replace(run, value=None, error=DIFFERS)
        self.journal.append(Kept(number, candidate.name, run))
        return run

    def _as_it_was(self) -> list[Run]:
        return [
            kept.run
            for kept in self.journal.runs
            if kept.candidate == AS_IT_IS.name and kept.run.value is not None
        ]

    def _varies(self) -> bool:
        return len({run.output for run in self._as_it_was()}) > 1

    def _differs(self, run: Run) -> bool:
        """Whether a candidate printed what the program as it is never does."""
        known = {was.output for was in self._as_it_was()}
        return self.compare_output and len(known) == 1 and run.output not in known


_LEAVES = Run(None, 0.0, SET_ASIDE)
