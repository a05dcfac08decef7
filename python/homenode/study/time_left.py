"""How long the runs of a study that are left will take, by those that have run. Pure.

Another run of a case is taken to last as long as those before it, and the first one of a case as
long as the mean of all. Several machines may run at once: time passes for as much of it as they do.
"""

from collections import Counter
from collections.abc import Iterable
from statistics import fmean

LEAST_S = 0.001  # What records round to.


class TimeLeft:
    """`left` has the case of each run that is left; of those that `ran` before, each has its case
    and the seconds it took. Times are of a clock that only goes forward."""

    def __init__(self, left: Iterable[str], ran: Iterable[tuple[str, float]], now_s: float) -> None:
        self._left = Counter(left)
        self._ran: dict[str, list[float]] = {}
        for case, seconds in ran:
            self._ran.setdefault(case, []).append(max(seconds, LEAST_S))
        self._began_s = now_s
        self._work_s = 0.0
        self._end_s: float | None = None

    def finished(self, case: str, seconds: float, now_s: float) -> None:
        """A run has ended, and took so long."""
        self._left[case] -= 1
        self._ran.setdefault(case, []).append(max(seconds, LEAST_S))
        self._work_s += max(seconds, LEAST_S)
        means = {case: fmean(found) for case, found in self._ran.items()}
        usual = fmean(means.values())
        work_s = sum(count * means.get(case, usual) for case, count in self._left.items())
        self._end_s = now_s + work_s * (now_s - self._began_s) / self._work_s

    def seconds(self, now_s: float) -> float | None:
        """None before a run has ended; 0 where it takes longer than was thought."""
        return None if self._end_s is None else max(0.0, self._end_s - now_s)
