"""The data of every picture of a page as CSV: a row for each figure of each case. Pure."""

import csv
import io
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from homenode.report import figures
from homenode.report.contents import Contents
from homenode.report.model import CaseView
from homenode.study.times import RunTime

FIGURES = (
    *("machine", "workload", "metric", "unit", "provenance", "group", "placement", "threads"),
    *("median", "low", "high", "runs", "relative_to_default", "local_share"),
)
CASES = (
    *("machine", "pattern", "operation", "method", "options", "provenance", "accesses"),
    *("local_share", "perfect_local_share", "hottest_share", "verdict"),
    *("runs", "median_s", "low_s", "high_s"),
)


def text(contents: Contents) -> str:
    """The rows under one line of names. What is not known is empty."""
    if contents.figures:
        return _written(FIGURES, _figure_rows(contents))
    return _written(CASES, [_case_row(case) for v in contents.matrices for case in v.cases])


def _figure_rows(contents: Contents) -> list[dict[str, Any]]:
    return [
        {"machine": view["machine"], "workload": view["workload"], **figure}
        for view in figures.to_json(contents.figures)
        for figure in view["figures"]
    ]


def _case_row(case: CaseView) -> dict[str, Any]:
    seconds = sorted(time.seconds for time in case.times)
    apart = ("pattern", "op", "method")
    options = (f"{name}={value}" for name, value in case.case.options if name not in apart)
    return {
        "machine": case.machine.name,
        "pattern": case.pattern,
        "operation": case.op,
        "method": case.method,
        "options": " ".join(options),
        "provenance": case.matrix.provenance,
        "accesses": case.accesses,
        "local_share": case.judgement.local,
        "perfect_local_share": case.judgement.perfect_local,
        "hottest_share": case.judgement.hottest,
        "verdict": case.judgement.verdict.value,
        "runs": len(seconds),
        "median_s": _median(case.times),
        "low_s": seconds[0] if seconds else None,
        "high_s": seconds[-1] if seconds else None,
    }


def _median(times: Sequence[RunTime]) -> float | None:
    return median(time.seconds for time in times) if times else None


def _written(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
