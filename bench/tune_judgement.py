"""What a model is worth, by runs of all candidates. Pure but for the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import spearmanr
from tune_runs import Measured

from homenode.tune.candidate import Candidate
from homenode.tune.lines_in_flight import calibrated
from homenode.tune.predicting import predicted

AS_GOOD = 1.05


@dataclass(frozen=True)
class Judgement:
    """One case under one model. Times are relative to those of the program as it is; `loss` is how
    much slower the model's first choice is than the best."""

    machine: str
    case: str
    errors: tuple[float, ...]
    rank: float
    loss: float
    best: str
    first: str
    gain: float
    bottleneck: str

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "runs",
        "median",
        "95th",
        "rank",
        "loss",
        "gain",
        "best; first choice",
    )

    def cells(self) -> list[str]:
        """Of the table."""
        return [
            str(len(self.errors)),
            f"{np.median(self.errors):.1%}",
            f"{np.percentile(self.errors, 95):.1%}",
            f"{self.rank:.2f}",
            f"{self.loss:.1%}",
            f"{self.gain:.2f}x",
            self.best + ("" if self.found else f"; {self.first}"),
        ]

    @property
    def found(self) -> bool:
        """Whether the first choice is as good as the best."""
        return self.loss <= AS_GOOD - 1


def judge(runs: Measured, machine: str, model: str) -> Judgement:
    """Predicts all candidates that ran, and compares."""
    program = calibrated(runs.seen, machine)
    guesses = {
        one.name: one
        for one in predicted(
            [run.candidate for run in runs.runs], machine, program, model, all_of=True
        )
    }
    base = runs.runs[0].time_s
    pairs = [
        (run.time_s / base, guesses[run.candidate.name].predicted, run.candidate)
        for run in runs.runs
        if guesses[run.candidate.name].predicted is not None
    ]
    real = np.array([one[0] for one in pairs])
    told = np.array([one[1] for one in pairs], float)
    first, best = int(told.argmin()), int(real.argmin())
    errors = np.abs(told - real) / real
    rank = spearmanr(real, told).statistic if np.ptp(told) > 0 and np.ptp(real) > 0 else 1.0
    chosen: Candidate = pairs[first][2]
    return Judgement(
        runs.machine,
        runs.case,
        tuple(float(one) for one in errors[1:]),
        float(rank),
        float(real[first] / real[best] - 1),
        pairs[best][2].name,
        chosen.name,
        float(1 / real[best]),
        guesses[chosen.name].bottleneck,
    )


def total(found: Sequence[Judgement]) -> str:
    """All cases together."""
    if not found:
        return "nothing has run"
    errors = np.concatenate([one.errors for one in found])
    hits = sum(one.found for one in found)
    ranks = [one.rank for one in found]
    return (
        f"{len(found)} cases, {len(errors)} candidates; error of relative time: median "
        f"{np.median(errors):.1%}, 95th percentile {np.percentile(errors, 95):.1%}; rank "
        f"correlation: median {np.median(ranks):.2f}, least {min(ranks):.2f}; first choice within "
        f"5 % of the best: {hits} of {len(found)}"
    )
