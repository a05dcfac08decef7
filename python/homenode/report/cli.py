"""`homenode report`: read records, judge them, write one HTML page."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from homenode import errors
from homenode.arguments import Parser
from homenode.files import write_whole
from homenode.report import figures, figures_page, model, page, times
from homenode.report.model import MachineView
from homenode.report.times import MethodTime, TimeView
from homenode.report.words import Words
from homenode.study import records
from homenode.study.description import Description, describe
from homenode.study.errors import StudyError
from homenode.study.records import Record

RESULT_SCHEMA = "homenode.report/1"
FIGURES_SCHEMA = "homenode.report.figures/1"  # Of workloads without matrices.
# What a value of the wrong kind, or none where there should be one, ends in.
ODD = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    parser = Parser(
        prog="homenode report",
        description="Turns a study's records into one self-contained HTML page.",
        epilog="Exit codes: 0 done, 1 failed, 2 bad usage.",
    )
    parser.add_argument(
        "records",
        metavar="RECORDS",
        nargs="+",
        type=Path,
        help="a study's --out folder, or a file of records; several are shown on one page",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path("report.html"),
        help="the file for the page (default: report.html)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the judged cases as JSON instead of a page"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the verb and returns its exit code."""
    options = parser().parse_args(arguments)
    try:
        shown, text = _judge(options.records, as_json=options.json)
        if options.json:
            print(text)
            return errors.DONE
        _write(options.output, text)
    except StudyError as error:
        print(f"homenode report: {error}", file=sys.stderr)
        return error.exit_code
    cases = sum(count for _, count in shown)
    print(f"{options.output}: {cases} cases on {', '.join(name for name, _ in shown)}")
    return errors.DONE


def _judge(paths: Sequence[Path], *, as_json: bool) -> tuple[list[tuple[str, int]], str]:
    """The machines with the number of their cases, and what is to be printed or written."""
    found = [record for path in paths for record in records.read(path)]
    try:
        workload = _workload(paths, found)
        if workload is not None and not workload.has_matrices:
            return _figures(paths, found, workload, as_json=as_json)
        views = model.build(found, Words.of(workload) if workload else None)
        shown = [(view.machine.name, len(view.cases)) for view in views]
        if as_json:
            return shown, json.dumps(to_json(views), ensure_ascii=False)
        return shown, page.render(views, [str(path) for path in paths])
    except (*ODD, TemplateError) as error:
        # Records are a file that anything may have written; the exception says what is odd in it.
        names = ", ".join(str(path) for path in paths)
        raise StudyError(
            f"cannot make a page of {names}: a record is inconsistent ({error!r}); run its "
            "study again with --fresh"
        ) from error


def _workload(paths: Sequence[Path], found: Sequence[Record]) -> Description | None:
    """What the records' workload says of itself: beside the records, else by the command here.

    None where neither knows it. Raises StudyError for records of several workloads.
    """
    names = dict.fromkeys(str(record["case"]["workload"]) for record in found)
    if not names:
        return None
    if len(names) > 1:
        raise StudyError(
            f"the records belong to several workloads ({', '.join(names)}); make one page for each",
            errors.USAGE,
        )
    name = next(iter(names))
    for path in paths:
        if (kept := records.read_description(path, name)) is not None:
            return kept
    try:
        return describe(name)
    except StudyError:
        return None


def _figures(
    paths: Sequence[Path], found: Sequence[Record], workload: Description, *, as_json: bool
) -> tuple[list[tuple[str, int]], str]:
    views = figures.build(found, workload)
    shown = [
        (view.machine.name, len({str(r["case"]["id"]) for r in view.records})) for view in views
    ]
    if as_json:
        value = {"schema": FIGURES_SCHEMA, "machines": figures.to_json(views)}
        return shown, json.dumps(value, ensure_ascii=False)
    return shown, figures_page.render(views, [str(path) for path in paths])


def _write(path: Path, text: str) -> None:
    """Writes the whole page or leaves what was there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
    except OSError as error:
        raise StudyError(
            f"cannot write {path}: {error.strerror}; free some space, or name another file with -o"
        ) from error


def to_json(views: Sequence[MachineView]) -> dict[str, Any]:
    """The judgements and times as data: the same values that the page shows."""
    kinds_of = [(view, times.time_views(view)) for view in views]
    timed = [(view, kinds, _times_by_case(kinds)) for view, kinds in kinds_of]
    return {
        "schema": RESULT_SCHEMA,
        "machines": [
            {
                "machine": view.machine.name,
                "cases": [
                    {
                        "id": case.case.id,
                        "options": dict(case.case.options),
                        "provenance": case.matrix.provenance,
                        "accesses": case.accesses,
                        "local_share": case.judgement.local,
                        "perfect_local_share": case.judgement.perfect_local,
                        "leakage": case.leakage,
                        "hottest_share": case.judgement.hottest,
                        "hottest_node": case.hottest_node,
                        "verdict": case.judgement.verdict,
                        "time": _time_json(known.get(case.case.id)),
                    }
                    for case in view.cases
                ],
                "time_order": [
                    {
                        "pattern": row.row.label,
                        "operation": row.row.op,
                        "provenance": kind.provenance,
                        "order": times.order_text(row),
                        "shapes": row.order,
                    }
                    for kind in kinds
                    for row in kind.rows
                ],
                "abilities": {
                    line[0].pattern: {
                        cell.method: {"verdict": cell.verdict, "paper": cell.agreement}
                        for cell in line
                    }
                    for line in view.abilities
                },
                "failures": [{"case": f.label, "error": f.error} for f in view.failures],
            }
            for view, kinds, known in timed
        ],
    }


def _time_json(time: MethodTime | None) -> dict[str, Any] | None:
    """A case's time over its repetitions; None when its records hold none."""
    if time is None:
        return None
    busiest = time.busiest_controller
    return {
        "provenance": time.runs[0].provenance,
        "runs": len(time.runs),
        "median_s": time.seconds,
        "low_s": time.low,
        "high_s": time.high,
        "relative_to_default": time.relative,
        "local_read_share": time.local_read_share,
        "busiest_controller": busiest and {"node": busiest[0], "utilisation": busiest[1]},
    }


def _times_by_case(kinds: Sequence[TimeView]) -> dict[str, MethodTime]:
    return {
        time.case.case.id: time
        for kind in kinds
        for row in kind.rows
        for time in row.times.values()
    }
