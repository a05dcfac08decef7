"""A workload's own figures, run by run, as a record keeps them. Pure.

Where they hang on a clock they say on which: modelled by the lab, measured on a real machine, or
emulated, which is the clock of the host that emulates a machine and says nothing of that machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homenode.lab.counts import roi_from_json
from homenode.lab.stats import PS_PER_S
from homenode.study.description import Description, Metric
from homenode.study.times import MEASURED, MODELLED

EMULATED = "emulated"
OBSERVED = "observed"  # No clock has a part in it.
PER_MILLION = 1e-6
SECONDS = "s"
WALL = "/seconds/wall"  # Where a report of one run has the time of its region of interest.


@dataclass(frozen=True)
class Figure:
    """What one metric came to in each run of one command."""

    provenance: str
    unit: str
    values: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """The figure as it stands in a record."""
        return {"provenance": self.provenance, "unit": self.unit, "values": list(self.values)}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Figure":
        """The figure of a record; raises KeyError, TypeError or ValueError when it is not one."""
        return Figure(
            str(value["provenance"]), str(value["unit"]), tuple(float(v) for v in value["values"])
        )


def find_values(document: Any, path: str) -> list[float]:
    """The numbers at a path such as /runs/*/rate. Raises ValueError when there are none."""
    found = [document]
    for key in path.strip("/").split("/"):
        if key == "*":
            found = [item for part in found if isinstance(part, list) for item in part]
        else:
            found = [part[key] for part in found if isinstance(part, dict) and key in part]
    numbers = [float(v) for v in found if isinstance(v, int | float) and not isinstance(v, bool)]
    if not numbers:
        raise ValueError(f"there is no number at {path}")
    return numbers


def figures_of(
    description: Description,
    bench: Mapping[str, Any],
    counts: Sequence[Mapping[str, Any]] | None,
    *,
    real_clock: bool,
) -> dict[str, Figure]:
    """Every metric of a workload. Raises ValueError when its JSON lacks one."""
    modelled = _modelled_seconds(counts)
    clock = MEASURED if real_clock else EMULATED
    if str(bench.get("clock", "")).startswith(MODELLED):
        clock = MODELLED  # The program itself asked the lab for the time.
    found = {}
    for metric in description.metrics:
        values = find_values(bench, metric.path)
        again = _by_modelled_time(metric, bench, modelled, len(values)) if metric.timed else None
        provenance = (MODELLED if again else clock) if metric.timed else OBSERVED
        found[metric.name] = Figure(provenance, metric.unit, tuple(again or values))
    return found


def _modelled_seconds(counts: Sequence[Mapping[str, Any]] | None) -> list[float]:
    """Of each region of interest; nothing where one was not timed."""
    times = [roi_from_json(dict(region)).time for region in counts or ()]
    seconds = [time.ps / PS_PER_S for time in times if time is not None and time.ps > 0]
    return seconds if len(seconds) == len(times) else []


def _by_modelled_time(
    metric: Metric, bench: Mapping[str, Any], seconds: Sequence[float], runs: int
) -> list[float] | None:
    """The metric as it follows from the lab's clock; None where it does not."""
    if not seconds or len(seconds) != runs:
        return None
    if metric.operations is not None:
        operations = find_values(bench, metric.operations)
        return [PER_MILLION * n / s for n, s in zip(operations, seconds, strict=True)]
    is_of_region = "*" in metric.path or metric.path == WALL
    return list(seconds) if metric.unit == SECONDS and is_of_region else None
