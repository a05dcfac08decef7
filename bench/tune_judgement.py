"""What a model is worth, by runs of all candidates. Pure but for the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from tune_bottleneck import bottlenecks
from tune_runs import Measured

from homenode.tune.lines_in_flight import calibrated
from homenode.tune.predicting import ALIKE, all_predicted, first_choice
from homenode.tune.race import taking_part

AS_GOOD = 1.05


@dataclass(frozen=True)
class Judgement:
    """One case under one model. `real` and `told` are times relative to that of the program as it
    is, of the other candidates; `loss` is how much slower the model's first choice is than the
    best, `answer` the best of the quarter of all runs that take part first, the program as it is
    among them: what tune comes to where runs do not vary. `lines` that memory answered in each
    run, likewise relative: where threads share a cache, chance decides how many there are. `named`:
    in how many runs the bottleneck was called what the lab's statistics say, and in how many they
    say it."""

    machine: str
    case: str
    real: tuple[float, ...]
    told: tuple[float, ...]
    lines: tuple[float, ...]
    rank: float
    loss: float
    answer: float
    best: str
    first: str
    gain: float
    named: tuple[int, int] = (0, 0)

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "runs",
        "median",
        "95th",
        "lines known",
        "rank",
        "loss",
        "answer",
        "gain",
        "bottleneck",
        "best; first choice",
    )

    def cells(self) -> list[str]:
        """Of the table."""
        return [
            str(len(self.errors)),
            f"{np.median(self.errors):.1%}",
            f"{np.percentile(self.errors, 95):.1%}",
            f"{np.median(self.errors_of_lines):.1%}",
            f"{self.rank:.2f}",
            f"{self.loss:.1%}",
            f"{self.answer:.1%}",
            f"{self.gain:.2f}x",
            "{} of {}".format(*self.named),
            self.best + ("" if self.found else f"; {self.first}"),
        ]

    @property
    def errors(self) -> NDArray[np.float64]:
        """Of each candidate's relative time."""
        real, told = np.array(self.real), np.array(self.told)
        return np.abs(told - real) / real

    @property
    def errors_of_lines(self) -> NDArray[np.float64]:
        """The same if it had been known how many lines would come from memory."""
        real, told = np.array(self.real), np.array(self.told) * np.array(self.lines)
        return np.abs(told - real) / real

    @property
    def found(self) -> bool:
        """Whether the first choice is as good as the best."""
        return self.loss <= AS_GOOD - 1


def judge(runs: Measured, machine: str, model: str) -> Judgement:
    """Predicts all candidates that ran, and compares."""
    program = calibrated(runs.seen, machine)
    given = [run.candidate for run in runs.runs]
    guesses, same = all_predicted(
        given, machine, program, model, apart_s=runs.seen.apart_s, time_s=runs.seen.time_s
    )
    base, *others = (one for one in guesses if one.name not in same)
    chosen = first_choice(guesses)
    bottleneck_of = {one.name: one.bottleneck for one in guesses}
    decided = [(run.candidate.name, bottlenecks(run.regions)) for run in runs.runs]
    decided = [(name, found) for name, found in decided if found]
    told_of = {one.name: one.predicted for one in guesses if one.predicted is not None}
    real_of = runs.relative
    lines_of = {run.candidate.name: run.lines / runs.runs[0].lines for run in runs.runs}
    names = [name for name in real_of if name in told_of]
    real = np.array([real_of[name] for name in names])
    told = np.array([told_of[name] for name in names])
    best = names[int(real.argmin())]
    few = [base, *taking_part(others, max(2, len(given) // 4) - 1)]
    return Judgement(
        runs.machine,
        runs.case,
        tuple(float(one) for one in real[1:]),
        tuple(float(one) for one in told[1:]),
        tuple(lines_of[name] for name in names[1:]),
        rank(real, told),
        real_of[chosen.name] / real_of[best] - 1,
        min(real_of[one.name] for one in few) / real_of[best] - 1,
        best,
        chosen.name,
        1 / real_of[best],
        (sum(bottleneck_of.get(name) in found for name, found in decided), len(decided)),
    )


def rank(real: NDArray[np.float64], told: NDArray[np.float64]) -> float:
    """Spearman's correlation, of told times rounded to what tune takes for alike: those that round
    to the same are equal here, not in any order; 0 where all of them are."""
    steps = np.round(np.log(told) / ALIKE)
    return float(spearmanr(real, steps).statistic) if np.ptp(steps) > 0 else 0.0


def total(found: Sequence[Judgement]) -> str:
    """All cases together, and each miss by name."""
    if not found:
        return "nothing has run"
    errors = np.concatenate([one.errors for one in found])
    lines = np.concatenate([one.errors_of_lines for one in found])
    real = np.concatenate([one.real for one in found])
    told = np.concatenate([one.told for one in found])
    misses = [one for one in found if not one.found]
    named, decided = (sum(counts) for counts in zip(*(one.named for one in found), strict=True))
    answers = sum(one.answer <= AS_GOOD - 1 for one in found)
    lines = [
        f"{len(found)} cases, {len(errors)} candidates",
        f"error of relative time: median {np.median(errors):.1%}, 95th percentile "
        f"{np.percentile(errors, 95):.1%}",
        f"the same with the lines known that memory answered in each run: median "
        f"{np.median(lines):.1%}, 95th percentile {np.percentile(lines, 95):.1%}",
        f"rank correlation: {rank(real, told):.2f} over all candidates, median of "
        f"the cases {np.median([one.rank for one in found]):.2f}",
        f"bottleneck named as the lab's statistics say: {named} of {decided} that they decide",
        f"first choice within 5 % of the best: {len(found) - len(misses)} of {len(found)}",
        f"best of the quarter put first within 5 % of the best: {answers} of {len(found)}",
    ]
    lines += [
        f"missed: {one.machine} {one.case}: {one.first} is {one.loss:.0%} slower than {one.best}"
        for one in misses
    ]
    return "\n".join(lines)
