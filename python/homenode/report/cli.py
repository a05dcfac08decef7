"""`homenode report`: read records, judge them, write one HTML page, or the same as data."""

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from homenode import errors
from homenode.arguments import Parser
from homenode.claims import judge
from homenode.claims.judge import JudgedPaper
from homenode.files import write_whole
from homenode.report import claims_text, contents, csv_text, figures, figures_page, page, times
from homenode.report.contents import Contents
from homenode.report.model import MachineView
from homenode.report.times import MethodTime, TimeView
from homenode.study.errors import StudyError

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
        "--workload",
        metavar="NAME",
        action="append",
        default=[],
        help="only the records of this workload; repeat it for several",
    )
    parser.add_argument(
        "--claims",
        action="store_true",
        help="print what papers claim, what came out, and the verdicts, instead of a page",
    )
    parser.add_argument(
        "--claims-from",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="judge the claims of this table too, in the form of those that come with homenode; "
        "repeat it for several",
    )
    parser.add_argument(
        "--markdown",
        metavar="FILE",
        type=Path,
        help="write the papers' claims and times as Markdown instead of a page; each folder is a "
        "study of its own",
    )
    parser.add_argument(
        "--csv", metavar="FILE", type=Path, help="write the page's data as CSV instead of a page"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the judged cases as JSON instead of a page"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the verb and returns its exit code."""
    options = parser().parse_args(arguments)
    try:
        if options.markdown:
            found = [_read([path], options.workload) for path in options.records]
            with _odd_records_named(options.records):
                papers = contents.judged(
                    [record for each in found for record in each.records], options.claims_from
                )
                text = _markdown(found, papers, options)
            _write(options.markdown, text)
            count = len({each.paper.id for each in papers})
            print(f"{options.markdown}: {count} paper{'' if count == 1 else 's'}")
            return errors.DONE
        found_here = _read(options.records, options.workload, options.claims_from)
        if options.json:
            print(json.dumps(to_json(found_here), ensure_ascii=False))
        elif options.claims:
            with _odd_records_named(options.records):
                text = claims_text.text(found_here.papers)
            print(text or no_claims(found_here))
        else:
            output = options.csv or options.output
            _write(output, csv_text.text(found_here) if options.csv else _page(found_here))
            machines = ", ".join(found_here.machines)
            print(f"{output}: {found_here.cases} cases on {machines}")
    except StudyError as error:
        print(f"homenode report: {error}", file=sys.stderr)
        return error.exit_code
    return errors.DONE


def no_claims(found: Contents) -> str:
    """What is printed of a study that no paper's claims are about."""
    return (
        f"no claims that come with homenode are about the study {found.name}; give a table of your "
        "own with --claims-from FILE"
    )


def _read(paths: Sequence[Path], only: Sequence[str], tables: Sequence[Path] = ()) -> Contents:
    with _odd_records_named(paths):
        return contents.read(paths, only, tables)


@contextmanager
def _odd_records_named(paths: Sequence[Path]) -> Iterator[None]:
    """Records are a file that anything may have written; the exception says what is odd in it."""
    try:
        yield
    except (*ODD, TemplateError) as error:
        names = ", ".join(str(path) for path in paths)
        raise StudyError(
            f"cannot make a page of {names}: a record is inconsistent ({error!r}); run its "
            "study again with --fresh"
        ) from error


def _page(found: Contents) -> str:
    paths = [str(path) for path in found.paths]
    with _odd_records_named(found.paths):
        if found.figures:
            return figures_page.render(found.figures, paths, found.papers)
        return page.render(found.matrices, paths, found.papers)


def _markdown(
    found: Sequence[Contents], papers: Sequence[JudgedPaper], options: argparse.Namespace
) -> str:
    """All records have decided the claims; times are those of each folder."""
    words = ["homenode", "report", *(str(path) for each in found for path in each.paths)]
    for table in options.claims_from:
        words += ["--claims-from", str(table)]
    command = shlex.join([*words, "--markdown", str(options.markdown)])
    return claims_text.markdown(command, papers, found)


def _write(path: Path, text: str) -> None:
    """Writes the whole page or leaves what was there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
    except OSError as error:
        raise StudyError(
            f"cannot write {path}: {error.strerror}; free some space, or name another file with -o"
        ) from error


def to_json(found: Contents) -> dict[str, Any]:
    """The judgements, figures and claims as data: the same values that the page shows."""
    with _odd_records_named(found.paths):
        papers = judge.to_json(found.papers)
        if found.figures:
            machines = figures.to_json(found.figures)
            return {"schema": FIGURES_SCHEMA, "machines": machines, "papers": papers}
        return _matrices_json(found.matrices) | {"papers": papers}


def _matrices_json(views: Sequence[MachineView]) -> dict[str, Any]:
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
